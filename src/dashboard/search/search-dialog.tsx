import { Combobox, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { count } from '../format/format.ts';
import { useAnnounce } from '../components/announce.tsx';
import { useSearch, type Result } from './results.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Finds anything in the books by a part of its name: arrow keys choose, Enter opens. */
export default function SearchDialog({ opened, onClose }: Props): ReactNode {
  return (
    <Modal.Root opened={opened} onClose={onClose} centered={false} yOffset="8vh" size="lg">
      <Modal.Overlay />
      <Modal.Content aria-label="Search everything">
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
  // Its results are always there: Enter opens the first without an arrow key.
  const combobox = useCombobox({ opened: true });
  const field = useRef<HTMLInputElement>(null);
  const { selectFirstOption } = combobox;
  const results = groups.flatMap((group) => group.results);
  const waiting = fetching || debounced !== typed.trim();
  const answered = waiting ? undefined : [debounced, ...results.map(({ to }) => to)].join(' ');
  const told = useRef<string>(undefined);
  useEffect(() => {
    if (answered === undefined || told.current === answered) return;
    told.current = answered;
    const first = selectFirstOption();
    // Mantine says so only after an arrow key.
    if (first) field.current?.setAttribute('aria-activedescendant', first);
    else field.current?.removeAttribute('aria-activedescendant');
    if (debounced !== '') announce(results.length === 1 ? '1 result' : `${count(results.length)} results`);
  }, [answered, debounced, results.length, selectFirstOption, announce]);
  const type = (text: string): void => {
    setTyped(text);
    // Until the results for this text arrive, Enter opens nothing: the shown results belong to an earlier text.
    told.current = undefined;
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
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
          }}
          size="md"
          variant="unstyled"
          px="md"
          py={6}
          aria-label="Search everything"
          placeholder="Customers, invoices, receipts, projects, transactions, pages"
          maxLength={255}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
          leftSection={<MagnifyingGlassIcon width={20} aria-hidden />}
          rightSection={waiting && <Loader size="xs" aria-hidden />}
        />
      </Combobox.EventsTarget>
      <Combobox.Options
        aria-label="Results"
        mah="60vh"
        p="xs"
        style={{ overflowY: 'auto', borderTop: '1px solid var(--mantine-color-default-border)' }}
      >
        {groups.map((group) => (
          <Combobox.Group key={group.label} label={group.label}>
            {group.results.map((result) => (
              <Found key={result.to} result={result} />
            ))}
          </Combobox.Group>
        ))}
        {results.length === 0 && !waiting && (
          <Combobox.Empty>
            {failed ? 'The search failed. Check your connection, and try again.' : 'Nothing matches. Try other words.'}
          </Combobox.Empty>
        )}
      </Combobox.Options>
    </Combobox>
  );
}

const Found = ({ result: { to, name, detail } }: { result: Result }): ReactNode => (
  <Combobox.Option value={to}>
    <Text size="sm" fw={500} truncate title={name}>
      {name}
    </Text>
    <Text size="xs" truncate title={detail}>
      {detail}
    </Text>
  </Combobox.Option>
);
