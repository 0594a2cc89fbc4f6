/** The caller of what no request causes. */
export const nobody = { id: '00000000-0000-0000-0000-000000000000', name: 'Kontor', email: '' };
