// The parts of undici that `listen` uses, in place of all of it: the rest doesn't load on Node 20, and is large.
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as errors } from 'undici/lib/core/errors.js';
