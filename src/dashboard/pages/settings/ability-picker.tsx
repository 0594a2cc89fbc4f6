import { Checkbox, Input, Radio, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { label } from '../../format.ts';
import { resources } from './abilities.ts';

interface Props {
  value: string[];
  onChange: (abilities: string[]) => void;
  error?: ReactNode;
}

const presets = [
  { value: '*', label: 'Everything', description: 'Read and change all there is' },
  { value: 'read', label: 'Read everything', description: 'Change nothing' },
  { value: 'some', label: 'Only these', description: undefined },
];

export function AbilityPicker({ value, onChange, error }: Props): ReactNode {
  const preset = value.includes('*') ? '*' : value.includes('read') ? 'read' : 'some';
  const toggle = (ability: string, on: boolean): void =>
    onChange(on ? [...value, ability] : value.filter((other) => other !== ability));
  return (
    <Stack gap="sm">
      <Radio.Group
        label="What it may do"
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
        <Table aria-label="Abilities" verticalSpacing={6} withTableBorder>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Resource</Table.Th>
              <Table.Th w={80}>Read</Table.Th>
              <Table.Th w={80}>Write</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {resources.map((resource) => (
              <Table.Tr key={resource}>
                <Table.Th scope="row" fw={400}>
                  {label(resource)}
                </Table.Th>
                {['read', 'write'].map((action) => {
                  const ability = `${resource}:${action}`;
                  return (
                    <Table.Td key={action}>
                      <Checkbox
                        aria-label={ability}
                        checked={value.includes(ability)}
                        onChange={(event) => toggle(ability, event.currentTarget.checked)}
                      />
                    </Table.Td>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  );
}
