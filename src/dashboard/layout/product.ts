/** The same in each language. */
export const product = 'Kontor';
