import { useEffect, useRef, useState } from 'react';
import { uploadingFetch } from './uploading-fetch.ts';

/** The upload of a page or dialog. Leaving it stops an upload that isn't over, as what was typed there is discarded. */
export function useUpload(): { sent: number; begin: () => typeof fetch } {
  const [sent, setSent] = useState(0);
  const upload = useRef<AbortController>(undefined);
  useEffect(() => () => upload.current?.abort(), []);
  const begin = (): typeof fetch => {
    setSent(0);
    upload.current = new AbortController();
    return uploadingFetch(setSent, upload.current.signal);
  };
  return { sent, begin };
}
