import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { CameraIcon } from '@heroicons/react/24/outline';
import { useRef, type ReactNode } from 'react';
import { t } from '../i18n/t.ts';

interface Props {
  /** The types of pictures, with commas between them. */
  accept: string;
  onChange: (file: File) => void;
  disabled?: boolean;
}

/** Takes a photo with the camera of a phone. */
export function CameraButton({ accept, onChange, disabled = false }: Props): ReactNode {
  const hasCamera = useMediaQuery('(pointer: coarse)');
  const camera = useRef<HTMLInputElement>(null);
  if (!hasCamera) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<CameraIcon width={18} aria-hidden />}
        aria-disabled={disabled}
        onClick={() => !disabled && camera.current?.click()}
      >
        {t('Take a photo')}
      </Button>
      <input
        ref={camera}
        type="file"
        hidden
        accept={accept}
        capture="environment"
        aria-label={t('Photo')}
        onChange={({ currentTarget }) => {
          const [taken] = currentTarget.files ?? [];
          if (taken) onChange(taken);
          currentTarget.value = '';
        }}
      />
    </>
  );
}
