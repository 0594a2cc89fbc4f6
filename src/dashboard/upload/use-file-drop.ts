import { useEffect, useEffectEvent, useState } from 'react';

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;

/**
 * Takes files that are dropped anywhere on the page. Without it, the browser would open them in place of the page.
 * @param onFiles undefined while something else on the page takes them
 * @returns whether files are over the page
 */
export function useFileDrop(onFiles: ((files: File[]) => void) | undefined): boolean {
  const [isOver, setIsOver] = useState(false);
  const take = useEffectEvent((files: File[]) => onFiles?.(files));
  const takes = onFiles !== undefined;
  useEffect(() => {
    if (!takes) return undefined;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      // A drop zone on the page has taken it.
      setIsOver(!event.defaultPrevented);
      event.preventDefault();
    };
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent): void => {
      setIsOver(false);
      if (event.defaultPrevented || !hasFiles(event)) return;
      event.preventDefault();
      take([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [takes]);
  return isOver;
}
