import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props<Value extends string> {
  label: string;
  icon: ReactNode;
  value: Value;
  choices: readonly { value: Value; label: string; lang?: string }[];
  onChange: (value: Value) => void;
}

/** A button of the header that opens a menu of which one item is chosen. */
export function ChoiceMenu<Value extends string>({ label, icon, value, choices, onChange }: Props<Value>): ReactNode {
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label}>
          {icon}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={value} onChange={(chosen) => onChange(chosen as Value)}>
          {choices.map(({ label: name, ...choice }) => (
            <Menu.RadioItem key={choice.value} {...choice} closeMenuOnClick>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
