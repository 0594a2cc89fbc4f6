/** The path in front of all endpoints. */
export const base = '/api/v1';
