import { Combobox, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useAnnounce } from '../components/announce.tsx';
import { useSearch, type Result } from './results.ts';
import { t } from '../i18n/t.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** The global search dialog. Arrow keys select a result, Enter opens it. */
export default function SearchDialog({ opened, onClose }: Props): ReactNode {
  return (
    <Modal.Root opened={opened} onClose={onClose} centered={false} yOffset="8vh" size="lg">
      <Modal.Overlay />
      <Modal.Content aria-label={t('Search everything')}>
        <Modal.Body p={0}>
          <SearchField onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function SearchField({ onClose }: { onClose: () => void }): ReactNode {
  const [, navigate] = useLocation();
  const announce = useAnnounce();
  const [typed, setTyped] = useState('');
  const [debounced] = useDebouncedValue(typed.trim(), 200);
  const { groups, fetching, failed } = useSearch(debounced);
  // The results are always visible, and Enter opens the first one without an arrow key.
  const combobox = useCombobox({ opened: true });
  const field = useRef<HTMLInputElement>(null);
  const { selectFirstOption } = combobox;
  const results = groups.flatMap((group) => group.results);
  const waiting = fetching || debounced !== typed.trim();
  const current = waiting ? undefined : [debounced, ...results.map(({ to }) => to)].join(' ');
  const announced = useRef<string>(undefined);
  useEffect(() => {
    if (current === undefined || announced.current === current) return;
    announced.current = current;
    const first = selectFirstOption();
    // Mantine sets the attribute only after an arrow key.
    if (first) field.current?.setAttribute('aria-activedescendant', first);
    else field.current?.removeAttribute('aria-activedescendant');
    if (debounced !== '') announce(t('{count} results', { count: results.length }));
  }, [current, debounced, results.length, selectFirstOption, announce]);
  const type = (text: string): void => {
    setTyped(text);
    // Until the results for this text arrive, Enter opens nothing: the shown results belong to an earlier text.
    announced.current = undefined;
    combobox.resetSelectedOption();
    field.current?.removeAttribute('aria-activedescendant');
  };
  const open = (to: string): void => {
    onClose();
    if (to.startsWith('/docs/')) window.location.assign(to);
    else navigate(to);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={open}>
      <Combobox.EventsTarget>
        <TextInput
          ref={field}
          data-autofocus
          // The dialog focuses it a moment later: text typed until then would go to the field below the dialog.
          // eslint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
          }}
          size="md"
          variant="unstyled"
          px="md"
          py={6}
          aria-label={t('Search everything')}
          placeholder={t('Names, numbers, amounts, pages')}
          maxLength={255}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
          leftSection={<MagnifyingGlassIcon width={20} aria-hidden />}
          rightSection={waiting && <Loader size="xs" aria-hidden />}
        />
      </Combobox.EventsTarget>
      <Combobox.Options
        aria-label={t('Results')}
        mah="60vh"
        p="xs"
        style={{ overflowY: 'auto', borderTop: '1px solid var(--mantine-color-default-border)' }}
      >
        {groups.map((group) => (
          <Combobox.Group key={group.label} label={group.label}>
            {group.results.map((result) => (
              <ResultOption key={result.to} result={result} />
            ))}
          </Combobox.Group>
        ))}
        {results.length === 0 && !waiting && !failed && (
          <Combobox.Empty>{t('No results. Try other words.')}</Combobox.Empty>
        )}
      </Combobox.Options>
      {failed && !waiting && (
        <Text role="alert" size="sm" c="dimmed" ta="center" p="sm">
          {t('The search failed. Check your connection, and try again.')}
        </Text>
      )}
    </Combobox>
  );
}

const ResultOption = ({ result: { to, name, detail } }: { result: Result }): ReactNode => (
  <Combobox.Option value={to}>
    <Text size="sm" fw={500} truncate title={name}>
      {name}
    </Text>
    <Text size="xs" truncate title={detail}>
      {detail}
    </Text>
  </Combobox.Option>
);
