/**
 * How an operation's result is answered: `item` 200 with the resource, `page` 200 with the list envelope, `created` 201
 * with the resource and its Location, `deleted` 204 without a body, `changes` 200 with a page of the change feed, `file` 200
 * with the bytes of a file, `stream` the same for a file that is uploaded, `download` for the file of an export, `batch` 200
 * with what each of many bodies would be answered alone, `upload` 201 for a body of JSON Lines, `upload-file` 201 for a body
 * that is a file, `results` 200 with a stream of them.
 */
export type ResponseKind =
  | 'item'
  | 'page'
  | 'created'
  | 'deleted'
  | 'changes'
  | 'file'
  | 'stream'
  | 'download'
  | 'batch'
  | 'upload'
  | 'upload-file'
  | 'results';

/** The names of the ids in a path: `id`, `attachment_id`. */
export const idsIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

export type Route = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  operation: string,
  answer: ResponseKind,
];

/**
 * The whole REST surface, relative to /api/v1. A path that `:id` would match as well stands before it. A row that needs an `if` means the schema
 * is wrong.
 */
export const routes: readonly Route[] = [
  ['GET', '/me', 'getProfile', 'item'],

  ['GET', '/customers', 'listCustomers', 'page'],
  ['POST', '/customers', 'createCustomer', 'created'],
  ['POST', '/customers/batch', 'createCustomer', 'batch'],
  ['PATCH', '/customers/batch', 'updateCustomer', 'batch'],
  ['GET', '/customers/:id', 'getCustomer', 'item'],
  ['PATCH', '/customers/:id', 'updateCustomer', 'item'],
  ['DELETE', '/customers/:id', 'deleteCustomer', 'deleted'],
  ['GET', '/customers/:id/credit', 'getCustomerCredit', 'item'],
  ['POST', '/customers/:id/credit-refunds', 'refundCredit', 'item'],

  ['GET', '/invoices', 'listInvoices', 'page'],
  ['POST', '/invoices', 'createInvoice', 'created'],
  ['POST', '/invoices/batch', 'createInvoice', 'batch'],
  ['GET', '/invoices/:id', 'getInvoice', 'item'],
  ['DELETE', '/invoices/:id', 'deleteInvoice', 'deleted'],
  ['GET', '/invoices/:id/pdf', 'getInvoicePdf', 'file'],
  ['GET', '/invoices/:id/xml', 'getInvoiceXml', 'file'],
  ['GET', '/invoices/:id/proof', 'getInvoiceProof', 'item'],
  ['POST', '/invoices/:id/issue', 'issueInvoice', 'item'],
  ['POST', '/invoices/:id/cancel', 'cancelInvoice', 'item'],
  ['POST', '/invoices/:id/payments', 'payInvoice', 'item'],

  ['GET', '/credit-notes', 'listCreditNotes', 'page'],
  ['POST', '/credit-notes', 'createCreditNote', 'created'],
  ['GET', '/credit-notes/:id', 'getCreditNote', 'item'],
  ['GET', '/credit-notes/:id/pdf', 'getCreditNotePdf', 'file'],
  ['GET', '/credit-notes/:id/xml', 'getCreditNoteXml', 'file'],
  ['GET', '/credit-notes/:id/proof', 'getCreditNoteProof', 'item'],
  ['POST', '/credit-notes/:id/refunds', 'refundCreditNote', 'item'],

  ['GET', '/receipts', 'listReceipts', 'page'],
  ['POST', '/receipts', 'createReceipt', 'created'],
  ['POST', '/receipts/batch', 'createReceipt', 'batch'],
  ['GET', '/receipts/:id', 'getReceipt', 'item'],
  ['DELETE', '/receipts/:id', 'deleteReceipt', 'deleted'],
  ['POST', '/receipts/:id/book', 'bookReceipt', 'item'],
  ['POST', '/receipts/:id/reverse', 'reverseReceipt', 'item'],
  ['POST', '/receipts/:id/payments', 'payReceipt', 'item'],
  ['GET', '/receipts/:id/attachments', 'listAttachments', 'page'],
  ['POST', '/receipts/:id/attachments', 'addAttachment', 'upload-file'],
  ['GET', '/receipts/:id/attachments/:attachment_id', 'getAttachment', 'item'],
  ['DELETE', '/receipts/:id/attachments/:attachment_id', 'deleteAttachment', 'deleted'],
  ['GET', '/receipts/:id/attachments/:attachment_id/file', 'getAttachmentFile', 'stream'],

  ['GET', '/projects', 'listProjects', 'page'],
  ['POST', '/projects', 'createProject', 'created'],
  ['POST', '/projects/batch', 'createProject', 'batch'],
  ['PATCH', '/projects/batch', 'updateProject', 'batch'],
  ['GET', '/projects/:id', 'getProject', 'item'],
  ['PATCH', '/projects/:id', 'updateProject', 'item'],
  ['DELETE', '/projects/:id', 'deleteProject', 'deleted'],

  ['GET', '/time-entries', 'listTimeEntries', 'page'],
  ['POST', '/time-entries', 'createTimeEntry', 'created'],
  ['POST', '/time-entries/batch', 'createTimeEntry', 'batch'],
  ['GET', '/time-entries/:id', 'getTimeEntry', 'item'],
  ['DELETE', '/time-entries/:id', 'deleteTimeEntry', 'deleted'],

  ['GET', '/bank-accounts', 'listBankAccounts', 'page'],
  ['POST', '/bank-accounts', 'createBankAccount', 'created'],
  ['GET', '/bank-accounts/:id', 'getBankAccount', 'item'],
  ['PATCH', '/bank-accounts/:id', 'updateBankAccount', 'item'],
  ['GET', '/bank-accounts/:id/balance', 'getBankBalance', 'item'],
  ['GET', '/bank-statements', 'listBankStatements', 'page'],
  ['GET', '/bank-statements/:id', 'getBankStatement', 'item'],
  ['GET', '/bank-transactions', 'listBankTransactions', 'page'],
  ['GET', '/bank-transactions/:id', 'getBankTransaction', 'item'],

  ['GET', '/payments', 'listPayments', 'page'],
  ['GET', '/payments/:id', 'getPayment', 'item'],
  ['PATCH', '/payments/:id', 'updatePayment', 'item'],
  ['POST', '/payments/:id/reverse', 'reversePayment', 'item'],

  ['GET', '/webhooks', 'listWebhooks', 'page'],
  ['POST', '/webhooks', 'createWebhook', 'created'],
  ['GET', '/webhooks/:id', 'getWebhook', 'item'],
  ['PATCH', '/webhooks/:id', 'updateWebhook', 'item'],
  ['DELETE', '/webhooks/:id', 'deleteWebhook', 'deleted'],
  ['POST', '/webhooks/:id/rotate-secret', 'rotateWebhookSecret', 'item'],
  ['POST', '/webhooks/:id/ping', 'pingWebhook', 'item'],

  ['GET', '/deliveries', 'listDeliveries', 'page'],
  ['GET', '/deliveries/:id', 'getDelivery', 'item'],
  ['POST', '/deliveries/:id/redeliver', 'redeliver', 'item'],

  ['GET', '/bulk-operations', 'listBulkOperations', 'page'],
  ['POST', '/bulk-operations', 'startBulkOperation', 'upload'],
  ['GET', '/bulk-operations/:id', 'getBulkOperation', 'item'],
  ['GET', '/bulk-operations/:id/results', 'getBulkOperation', 'results'],
  ['POST', '/bulk-operations/:id/cancel', 'cancelBulkOperation', 'item'],

  ['GET', '/exports', 'listExports', 'page'],
  ['POST', '/exports', 'createExport', 'created'],
  ['GET', '/exports/:id', 'getExport', 'item'],
  ['GET', '/exports/:id/file', 'getExport', 'download'],
  ['POST', '/exports/:id/cancel', 'cancelExport', 'item'],

  ['GET', '/reports/ec-sales', 'getEcSales', 'item'],
  ['GET', '/reports/ec-sales/documents', 'getEcSalesDocuments', 'item'],
  ['GET', '/reports/open-items', 'getOpenItems', 'item'],
  ['GET', '/reports/profit-and-loss', 'getProfitAndLoss', 'item'],
  ['GET', '/reports/profit-and-loss/documents', 'getProfitAndLossDocuments', 'item'],
  ['GET', '/reports/vat', 'getVatReport', 'item'],
  ['GET', '/reports/vat/documents', 'getVatReportDocuments', 'item'],

  ['GET', '/period-locks', 'getPeriodLocks', 'item'],
  ['PUT', '/period-locks', 'setPeriodLock', 'item'],
  ['GET', '/period-locks/check', 'getPeriodLockCheck', 'item'],

  ['GET', '/test-tenants', 'listTestTenants', 'item'],
  ['POST', '/test-tenants', 'createTestTenant', 'created'],
  ['GET', '/test-tenants/:id', 'getTestTenant', 'item'],
  ['DELETE', '/test-tenants/:id', 'deleteTestTenant', 'deleted'],
  ['POST', '/test-tenants/:id/reset', 'resetTestTenant', 'item'],
  ['GET', '/test-clock', 'getTestClock', 'item'],
  ['POST', '/test-clock', 'setTestClock', 'item'],
  ['POST', '/test-helpers/bank-transactions', 'simulateBankTransaction', 'item'],
  ['POST', '/test-helpers/webhooks/:id/failures', 'simulateWebhookFailures', 'item'],

  ['GET', '/events', 'listEvents', 'page'],
  ['GET', '/audit-log', 'listAuditLog', 'page'],
  ['GET', '/anchors', 'listAnchors', 'page'],
  ['GET', '/anchors/:id', 'getAnchor', 'item'],
  ['GET', '/changes', 'listChanges', 'changes'],
];
