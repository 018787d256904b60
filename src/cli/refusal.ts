import { BillhookError } from '@billhook/client'

/** Whether a service refused a request, so that `code` is one of docs/errors.md. */
export function isRefusal(error: unknown): error is BillhookError & { readonly status: number } {
  return error instanceof BillhookError && error.status !== undefined && error.code !== 'unexpected_answer'
}
