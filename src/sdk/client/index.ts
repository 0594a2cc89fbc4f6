export type { FollowedChange, FollowOptions } from './changes.ts';
export { Kontor } from './kontor.ts';
export * from './errors.ts';
export { etagOf } from './etag.ts';
export { List, type Page } from './list.ts';
export type { ConditionalOptions, KontorOptions, PostOptions, RequestOptions } from './options.ts';
export { verifyWebhook, type VerifyOptions, type WebhookEvent, type WebhookHeaders } from './webhooks.ts';
export type * from './generated/types.ts';
export type * from './generated/api.ts';
