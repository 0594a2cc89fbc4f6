import { ActionIcon, Button, Group } from '@mantine/core';
import { EyeIcon, EyeSlashIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { money } from '../../../format/format.ts';
import { t } from '../../../i18n/t.ts';

interface Props {
  totals: { totalNet: string; totalVat: string; totalGross: string } | undefined;
  currency: string;
  /** Shows the PDF: beside the form, where `isBeside` says whether it is there, or in a tab of its own. */
  preview: { show: (() => void) | undefined; isBeside: boolean | undefined };
  /** Whether the draft can be saved to issue it at once. */
  canIssue: boolean;
  isBusy: boolean;
  /** The form's own buttons. */
  buttons: ReactNode;
}

/** The totals and the actions, in view however long the invoice is. */
export function EditorBar({ totals, currency, preview, canIssue, isBusy, buttons }: Props): ReactNode {
  const format = (amount: string | undefined): string => (amount === undefined ? '–' : money(amount, currency));
  const { show, isBeside } = preview;
  return (
    <div className="editor-bar">
      <div className="editor-totals numbers" role="group" aria-label={t('Totals so far')}>
        <span>
          {t('Net')} <span className="figure">{format(totals?.totalNet)}</span>
        </span>
        <span>
          {t('VAT_short')} <span className="figure">{format(totals?.totalVat)}</span>
        </span>
        <strong>
          {t('Total')} <span className="figure">{format(totals?.totalGross)}</span>
        </strong>
      </div>
      <Group className="editor-actions" gap="xs">
        <ActionIcon
          variant="default"
          size={36}
          disabled={!show}
          onClick={show}
          {...(isBeside === undefined
            ? { 'aria-label': t('Preview PDF'), title: t('Preview PDF') }
            : { 'aria-label': t('PDF beside the form'), title: t('PDF beside the form'), 'aria-pressed': isBeside })}
        >
          {isBeside ? <EyeSlashIcon width={18} aria-hidden /> : <EyeIcon width={18} aria-hidden />}
        </ActionIcon>
        {buttons}
        {canIssue && (
          <Button type="submit" variant="default" data-issue disabled={isBusy}>
            {t('Issue…')}
          </Button>
        )}
      </Group>
    </div>
  );
}
