import { Checkbox, Input, Radio, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { label } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { byResource } from './abilities.ts';
import { t } from '../../i18n/t.ts';

const GrantableAbilitiesQuery = graphql(`
  query GrantableAbilities {
    abilities {
      name
    }
  }
`);

interface Props {
  value: string[];
  onChange: (abilities: string[]) => void;
  error?: ReactNode;
}

const presets = [
  { value: '*', label: t('Everything'), description: t('Read and change all data') },
  { value: 'read', label: t('Read everything'), description: t('Change nothing') },
  { value: 'some', label: t('Only these'), description: undefined },
];

export function AbilityPicker({ value, onChange, error }: Props): ReactNode {
  const [{ data }] = useQuery({ query: GrantableAbilitiesQuery, requestPolicy: 'cache-first' });
  const resources = byResource((data?.abilities ?? []).map(({ name }) => name));
  const preset = value.includes('*') ? '*' : value.includes('read') ? 'read' : 'some';
  const toggle = (ability: string, on: boolean): void =>
    onChange(on ? [...value, ability] : value.filter((other) => other !== ability));
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('Abilities')}
        value={preset}
        onChange={(choice) => onChange(choice === 'some' ? [] : [choice])}
      >
        <Stack gap={8} mt={6}>
          {presets.map((choice) => (
            <Radio key={choice.value} {...choice} />
          ))}
        </Stack>
      </Radio.Group>
      {preset === 'some' && (
        <Table aria-label={t('Abilities')} verticalSpacing={6} withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('Resource')}</Table.Th>
              <Table.Th w={110}>{t('Read')}</Table.Th>
              <Table.Th w={110}>{t('Write')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {[...resources].map(([resource, abilities]) => (
              <Table.Tr key={resource}>
                <Table.Th scope="row" fw={400}>
                  {label(resource)}
                </Table.Th>
                {abilities.map((ability) => (
                  <Table.Td key={ability}>
                    <Checkbox
                      aria-label={ability}
                      checked={value.includes(ability)}
                      onChange={(event) => toggle(ability, event.currentTarget.checked)}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  );
}
