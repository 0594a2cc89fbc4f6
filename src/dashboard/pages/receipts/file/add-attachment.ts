import { useMutation } from 'urql';
import { useSendOnce } from '../../../api/send-once.ts';
import { errorMessage } from '../../../errors/form-errors.ts';
import { graphql } from '../../../graphql.ts';
import { uploadingFetch } from '../../../upload/uploading-fetch.ts';

const AddAttachment = graphql(`
  mutation AddAttachment($receiptId: UUID!, $filename: String!, $file: Upload!) {
    addAttachment(receiptId: $receiptId, filename: $filename, file: $file) {
      id
    }
  }
`);

type Attach = (receiptId: string, file: File, onProgress: (sent: number) => void) => Promise<string | undefined>;

/** Uploads files to drafts. @returns a function that returns why an upload failed */
export function useAttach(): Attach {
  const [, add] = useMutation(AddAttachment);
  const sendOnce = useSendOnce();
  return async (receiptId, file, onProgress) => {
    const variables = { receiptId, filename: file.name, file };
    const { error } = await sendOnce(file, (context) =>
      add(variables, { ...context, fetch: uploadingFetch(onProgress) }),
    );
    return error && errorMessage(error);
  };
}
