import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ArrowDownTrayIcon, PlusIcon } from '@heroicons/react/24/outline';
import { Fragment, type ComponentType, type ReactNode, type SVGProps } from 'react';
import { Link, useLocation } from 'wouter';
import { Dialog } from '../components/dialog.tsx';
import type { EnumOf } from '../graphql.ts';
import { Page, type PageProps } from '../layout/page.tsx';
import { ExportLink } from '../pages/exports/export-link.tsx';
import { EmptyList, type EmptyListTexts } from './empty-list.tsx';
import { Filters, Search, type Filter } from './list-filters.tsx';
import { getKeys, useListState, type ListState, type Sort } from './list-state.ts';
import { t } from '../i18n/t.ts';
import { useShortcuts } from '../shortcuts/shortcuts.ts';

interface Props<Name extends string, Variables, Returned> extends Omit<PageProps, 'back' | 'children'> {
  table: ComponentType<{ list: ListState<never>; filters: Variables; empty: ReactNode }>;
  /** The label of the search field, if rows can be searched: `Search invoices`. */
  search?: string;
  /** The filters, by their names in the URL. */
  filters: Record<Name, Filter>;
  /** Converts the filters' values to the query's variables. */
  variables: (values: Partial<Record<Name | 'q', string>>) => Exactly<Returned, Variables>;
  /** Links to the rows of each state above the list, and the filter that they set. They get the other filters' variables. */
  tabs?: { filter: NoInfer<Name>; component: ComponentType<{ filters: Variables }> };
  /** Default: newest first. */
  initialSort?: Sort;
  add?: AddAction;
  /** The kind of records that a file of another system can have: `CUSTOMER`. */
  importable?: EnumOf<'ResourceName'>;
  /** The list that an export can have: `CUSTOMERS`. */
  exportable?: EnumOf<'ExportResource'>;
  empty: EmptyListTexts;
  /** Content above the filters. */
  children?: ReactNode;
}

/** A value whose fields are all known. TypeScript doesn't check what a function returns for unknown ones. */
type Exactly<Returned, Known> = Returned & {
  [Name in keyof Returned]: Name extends keyof Known
    ? Returned[Name] extends object
      ? Exactly<Returned[Name], NonNullable<Known[Name]>>
      : Returned[Name]
    : never;
};

/** How a row is added: by another page, by a form in a dialog, or as the page itself says. */
interface AddAction {
  /** `Add a customer` */
  label: string;
  icon?: ComponentType<SVGProps<SVGSVGElement>>;
  to?: string;
  onClick?: () => void;
  /** The form, in a dialog. */
  form?: (props: { onDone: (id: string) => void; onCancel: () => void }) => ReactNode;
  /** Whether the dialog is open at first. */
  isOpen?: boolean;
  /** The action when the form is done. Default: the page of the new row opens. */
  onDone?: () => void;
}

/** A page with one list: its filters, its table, and the button that adds a row. */
export function ListPage<Name extends string, Variables, Returned extends Variables>(
  props: Props<Name, Variables, Returned>,
): ReactNode {
  const { table: Table, search, filters, variables, initialSort, add, empty, children, ...rest } = props;
  const { importable, exportable, tabs, ...page } = rest;
  const [path, navigate] = useLocation();
  const [adding, dialog] = useDisclosure(add?.isOpen);
  const list = useListState<Name | 'q'>([...(search ? (['q'] as const) : []), ...getKeys(filters)], initialSort);
  const button = (
    <>
      {importable && <ImportButton records={importable} title={page.title} />}
      {add && <AddButton {...add} open={add.onClick ?? dialog.open} />}
    </>
  );
  const finish = (id: string): void => {
    if (!add?.onDone) return navigate(`${path}/${id}`);
    dialog.close();
    add.onDone();
  };
  useShortcuts(
    add
      ? [
          {
            keys: ['n'],
            label: add.label,
            group: 'LIST',
            run: () => (add.to ? navigate(add.to) : (add.onClick ?? dialog.open)()),
          },
        ]
      : [],
  );
  const { from, to }: Partial<Record<string, string>> = list.filters;
  return (
    <Page
      actions={
        <>
          {exportable && <ExportLink asked={{ type: 'LIST', resource: exportable, from, to }} title={page.title} />}
          {button}
        </>
      }
      {...page}
    >
      {children}
      {tabs && <tabs.component filters={variables({ ...list.filters, [tabs.filter]: undefined })} />}
      <Filters
        list={list}
        search={
          search && <Search label={search} value={list.filters.q} onChange={(value) => list.filter('q', value)} />
        }
      >
        {getKeys(filters).map((name) => (
          <Fragment key={name}>
            {filters[name]({ value: list.filters[name], onChange: (value) => list.filter(name, value) })}
          </Fragment>
        ))}
      </Filters>
      <Table
        list={list}
        filters={variables(list.filters)}
        empty={
          <EmptyList list={list} {...empty}>
            {button}
          </EmptyList>
        }
      />
      {add?.form && (
        <Dialog title={add.label} opened={adding} onClose={dialog.close}>
          {add.form({ onCancel: dialog.close, onDone: finish })}
        </Dialog>
      )}
    </Page>
  );
}

function ImportButton({ records, title }: { records: string; title: string }): ReactNode {
  return (
    <Button
      component={Link}
      to={`/import?records=${records}`}
      variant="default"
      aria-label={t('Import: {title}', { title })}
      leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}
    >
      {t('Import')}
    </Button>
  );
}

function AddButton({
  label,
  icon: Icon = PlusIcon,
  to,
  open,
}: Pick<AddAction, 'label' | 'icon' | 'to'> & { open: () => void }): ReactNode {
  const icon = <Icon width={18} aria-hidden />;
  return to === undefined ? (
    <Button leftSection={icon} onClick={open}>
      {label}
    </Button>
  ) : (
    <Button component={Link} to={to} leftSection={icon}>
      {label}
    </Button>
  );
}
