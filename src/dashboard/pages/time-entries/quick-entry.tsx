import { Button, Card, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { FormMessages, useSubmit } from '../../forms/form.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { minutes, today } from '../../format/format.ts';
import { orNull } from '../../forms/form-values.ts';
import { toMinutes } from './duration.ts';
import { CreateTimeEntry, durationRule } from './time-entry-form.tsx';
import { t } from '../../i18n/t.ts';

const exampleOfTime = '1:30'; // the same in each language

interface Values {
  projectId: string | null;
  date: string;
  durationMinutes: string;
  description: string;
}

/** Tracks time in one line. Project and day stay for the next entry. */
export function QuickEntry(): ReactNode {
  const [, create] = useMutation(CreateTimeEntry);
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: { projectId: null, date: today(), durationMinutes: '', description: '' },
    validate: {
      projectId: (projectId) => (projectId ? null : t('Choose a project.')),
      durationMinutes: durationRule,
    },
  });
  const submission = useSubmit(
    form,
    ({ projectId, date, durationMinutes, description }, context) => {
      const input = {
        projectId: projectId ?? '',
        date,
        durationMinutes: toMinutes(durationMinutes),
        description: orNull(description),
      };
      return create({ input }, context);
    },
    ({ saved: { durationMinutes } }) => {
      notifySuccess(t('{time} tracked.', { time: minutes(durationMinutes) }));
      form.setValues({ durationMinutes: '', description: '' });
      form.getInputNode('durationMinutes')?.focus();
    },
  );
  return (
    <Card withBorder radius="md" mb="lg">
      <form onSubmit={submission.onSubmit} noValidate aria-label={t('Track time')}>
        <Stack gap="sm">
          <FormMessages submission={submission} />
          <Group align="flex-start" gap="sm">
            <ProjectPicker
              label={t('Project')}
              canCreate
              required
              style={{ flex: '2 1 200px' }}
              {...form.getInputProps('projectId')}
            />
            <TextInput
              type="date"
              label={t('Day')}
              required
              style={{ flex: '1 1 140px' }}
              {...form.getInputProps('date')}
            />
            <TextInput
              label={t('Duration')}
              placeholder={exampleOfTime}
              required
              style={{ flex: '1 1 90px' }}
              {...form.getInputProps('durationMinutes')}
            />
            <TextInput label={t('Description')} style={{ flex: '4 1 240px' }} {...form.getInputProps('description')} />
            <Button type="submit" loading={submission.busy} mt={{ base: 0, xs: 25 }}>
              {t('Track')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
