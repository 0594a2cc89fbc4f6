/** The form of the page that checks a document in the browser, by check-proof.js. */
export const proofForm = `<form id="check-proof" class="check">
<p><label for="file">The PDF or XML file</label><br><input id="file" name="file" type="file"></p>
<p><label for="proof">The proof: the answer of <code>GET /invoices/{id}/proof</code></label><br><textarea id="proof" name="proof" rows="6" spellcheck="false" required></textarea></p>
<p><label for="anchor">An anchor that was kept: the event <code>books.anchored</code>, or the answer of <code>GET /anchors/{id}</code></label><br><textarea id="anchor" name="anchor" rows="6" spellcheck="false"></textarea></p>
<p><label for="key">The public key that you trust</label><br><input id="key" name="key" spellcheck="false" autocomplete="off"></p>
<p><button type="submit">Check</button></p>
</form>
<p id="verdict" role="status"></p>
<ul id="findings"></ul>
<noscript><p>This page needs JavaScript.</p></noscript>`;

export const proofText = `# Check a document

Whether an invoice or a credit note is the one that was issued. All is computed in your browser: nothing is sent.

A proof has the hashes of the document's files, and follows from the proof before. An anchor is the signed hash of the last proof of
a day. It proves your document if it has the hash of its proof. If the anchor is of a later proof, add the proofs of the documents between
them, in their order, a line each: without them, an anchor says nothing of your document.
`;
