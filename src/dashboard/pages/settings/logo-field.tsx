import { Button, FileButton, Group, Image, Input } from '@mantine/core';
import type { ReactNode } from 'react';
import { notifyError } from '../../components/toast.ts';
import { readDataUrl } from '../../upload/data-url.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  /** A data URL; '' without a logo. */
  value: string;
  onChange: (value: string) => void;
  error?: ReactNode;
  /** The path of the form's field. */
  'data-path'?: string;
}

/** Shows the logo, and takes another one. */
export function LogoField({ value, onChange, error, 'data-path': path }: Props): ReactNode {
  const choose = async (file: File | null): Promise<void> => {
    if (!file) return;
    try {
      onChange(await readDataUrl(file));
    } catch (unreadable) {
      notifyError((unreadable as Error).message);
    }
  };
  return (
    <Input.Wrapper
      label={t('Logo')}
      labelElement="div"
      description={t('PNG or SVG, at most 1 MiB. It stands on documents in place of the name')}
      error={error}
    >
      {value !== '' && (
        <Image
          src={value}
          alt={t('The logo')}
          mah={80}
          maw={300}
          w="auto"
          fit="contain"
          bg="white"
          p={4}
          my="xs"
          radius="sm"
        />
      )}
      <Group gap="xs" mt={value === '' ? 'xs' : 0} mb={error ? 'xs' : 0}>
        <FileButton
          accept="image/png,image/svg+xml"
          inputProps={{ 'aria-label': t('Logo') }}
          onChange={(file) => void choose(file)}
        >
          {(props) => (
            <Button {...props} variant="default" data-path={path}>
              {value === '' ? t('Choose a logo') : t('Choose another logo')}
            </Button>
          )}
        </FileButton>
        {value !== '' && (
          <Button variant="subtle" color="red" onClick={() => onChange('')}>
            {t('Remove the logo')}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}
