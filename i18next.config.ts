import { defineConfig } from 'i18next-cli';

/** `npm run texts` brings the dashboard's files of texts up to date with its code. */
export default defineConfig({
  locales: ['de'],
  extract: {
    input: ['src/dashboard/**/*.{ts,tsx}'],
    ignore: ['src/dashboard/dist/**'],
    output: 'src/dashboard/i18n/{{language}}.json',
    keySeparator: false,
    nsSeparator: false,
    interpolationPrefix: '{',
    interpolationSuffix: '}',
    defaultValue: '',
    preservePatterns: ['api: *'], // texts of the API
  },
  lint: {
    acceptedTags: 'all',
    acceptedAttributes: [
      'alt',
      'aria-label',
      'caption',
      'confirm',
      'description',
      'label',
      'name',
      'placeholder',
      'title',
    ],
  },
});
