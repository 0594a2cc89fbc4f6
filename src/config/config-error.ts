/** A setting is invalid. The message is one line without secrets, and can be shown to the user. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
