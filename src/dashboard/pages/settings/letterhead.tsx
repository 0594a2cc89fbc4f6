import { Card, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatIban } from '../../format/iban.ts';
import { t } from '../../i18n/t.ts';
import type { CompanyValues } from './company.tsx';
import { contrastOnWhite } from './contrast.ts';

const ink = '#1a2b3c';

/** How documents begin and end, by what is typed. It resembles their paper, and is no PDF. */
export function Letterhead({ values }: { values: CompanyValues }): ReactNode {
  const { legalName, addressLine1, addressLine2, postalCode, city, logo, footer } = values;
  const color = contrastOnWhite(values.accentColor) === undefined ? ink : values.accentColor.trim();
  const place = [postalCode, city].filter(Boolean).join(' ');
  const sender = [legalName, addressLine1, addressLine2, place].filter(Boolean).join(' · ');
  const foot = [
    [legalName, addressLine1, place],
    [values.contactName, values.phone, values.email],
    [formatIban(values.iban.replaceAll(' ', '')), values.bic],
    [values.vatId, values.taxNumber, values.registerEntry],
  ].map((lines) => lines.filter(Boolean));
  return (
    <Card withBorder radius="md" component="section" aria-labelledby="letterhead">
      <Title order={2} size="h4" id="letterhead" mb="sm">
        {t('Letterhead')}
      </Title>
      <div className="letterhead">
        <div className="letterhead-top">
          {logo === '' ? <strong style={{ color }}>{legalName || '…'}</strong> : <img src={logo} alt="" />}
        </div>
        <div className="letterhead-sender">{sender}</div>
        <div className="letterhead-lines" aria-hidden>
          <i style={{ width: '40%' }} />
          <i style={{ width: '32%' }} />
          <i style={{ width: '36%' }} />
        </div>
        <div className="letterhead-title" style={{ color }}>
          {t('Invoice')}
        </div>
        <div className="letterhead-lines" aria-hidden>
          <i style={{ background: color, height: 2 }} />
          <i />
          <i />
          <i style={{ width: '70%' }} />
        </div>
        {footer && <div className="letterhead-text">{footer}</div>}
        <div className="letterhead-foot" style={{ borderColor: color }}>
          {foot.map((lines, at) => (
            // The columns have fixed places.
            // eslint-disable-next-line react/no-array-index-key
            <div key={at}>
              {lines.map((line) => (
                <div key={line}>{line}</div>
              ))}
            </div>
          ))}
        </div>
      </div>
      <Text size="xs" c="dimmed" mt="xs">
        {t('It follows what you type. A document’s PDF is laid out more exactly.')}
      </Text>
    </Card>
  );
}
