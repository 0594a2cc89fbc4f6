// Test oracle: the rules of DECISIONS.md#d12-rounding, implemented a second time. It calculates with BigInt, so that it
// shares no arithmetic with the code under test.

const currenciesByDigits = [
  ['JPY', 'KRW', 'CLP', 'ISK', 'XOF', 'VND'],
  [],
  ['EUR', 'USD', 'CHF', 'HUF', 'COP', 'IDR', 'MGA'],
  ['TND', 'KWD', 'BHD', 'IQD', 'JOD', 'OMR', 'LYD'],
  ['CLF', 'UYW'],
];

/** Minor digits of the tested currencies by ISO 4217. */
export const minorDigits: Record<string, number> = Object.fromEntries(
  currenciesByDigits.flatMap((codes, digits) => codes.map((code) => [code, digits])),
);

/** The number units ÷ 10^scale. */
export interface Decimal {
  units: bigint;
  scale: number;
}

/** The number's shortest JSON form without an exponent. */
export function plain({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${scale > 0 && fraction ? `.${fraction}` : ''}`;
}

/** Whether the number has at most 15 digits. */
export const fits = (number: Decimal): boolean => plain(number).replace(/[-.]/g, '').replace(/^0+/, '').length <= 15;

/** Numerator ÷ denominator, rounded half away from zero to a whole number. */
function divide(numerator: bigint, denominator: bigint): bigint {
  const magnitude = ((numerator < 0n ? -numerator : numerator) * 2n + denominator) / (2n * denominator);
  return numerator < 0n ? -magnitude : magnitude;
}

const ten = (power: number): bigint => 10n ** BigInt(power);

export interface Line {
  quantity: Decimal;
  price: Decimal;
  rate: Decimal;
  /** Hundredths of a per cent, 0 to 10,000. */
  discount?: bigint;
}

export interface Totals {
  lines: Decimal[];
  net: Decimal;
  vat: Decimal;
  gross: Decimal;
  breakdown: { rate: Decimal; net: Decimal; vat: Decimal }[];
}

/** Line = quantity × unit price, less the discount, rounded; VAT once per rate over the sum of its lines; gross = net + VAT. */
export function invoiceTotals(lines: Line[], currency: string): Totals {
  const scale = minorDigits[currency]!;
  const lineTotals = lines.map(({ quantity, price, discount = 0n }) =>
    divide(quantity.units * price.units * ten(scale) * (10_000n - discount), ten(quantity.scale + price.scale + 4)),
  );
  const netByRate = new Map<bigint, bigint>(); // by the rate in hundredths of a per cent
  for (const [index, { rate }] of lines.entries()) {
    const hundredths = rate.units * ten(2 - rate.scale);
    netByRate.set(hundredths, (netByRate.get(hundredths) ?? 0n) + lineTotals[index]!);
  }
  const shares = [...netByRate]
    .toSorted(([a], [b]) => Number(a - b))
    .map(([rate, net]) => ({ rate, net, vat: divide(net * rate, 10_000n) }));
  const net = lineTotals.reduce((a, b) => a + b, 0n);
  const vat = shares.reduce((sum, share) => sum + share.vat, 0n);
  const amount = (units: bigint): Decimal => ({ units, scale });
  return {
    lines: lineTotals.map(amount),
    net: amount(net),
    vat: amount(vat),
    gross: amount(net + vat),
    breakdown: shares.map((share) => ({
      rate: { units: share.rate, scale: 2 },
      net: amount(share.net),
      vat: amount(share.vat),
    })),
  };
}

/** The VAT in a gross amount: gross × rate ÷ (100 + rate), rounded; the rest is net. */
export function receiptAmounts(gross: Decimal, rate: Decimal, currency: string): { vat: Decimal; net: Decimal } {
  const scale = minorDigits[currency]!;
  const minor = gross.units * ten(scale - gross.scale);
  const vat = divide(minor * rate.units, 100n * ten(rate.scale) + rate.units);
  return { vat: { units: vat, scale }, net: { units: minor - vat, scale } };
}
