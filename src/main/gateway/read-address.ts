import type { AddressView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { baseAddress, parseGatewayAddress, requestAddressFor } from './address'

/** A pasted gateway address, put right, with what each standard makes of it. Fails with `address.*`. */
export function readAddress(text: string): AddressView {
  const parsed = parseGatewayAddress(text)
  if (!parsed.ok) throw new AppError(parsed.error.code, parsed.error.message, { field: 'gatewayUrl' })
  const { url, corrections } = parsed.value
  return {
    url,
    corrections,
    bases: { 'chat-completions': baseAddress(url, 'chat-completions'), messages: baseAddress(url, 'messages') },
    requests: {
      'chat-completions': requestAddressFor(url, 'chat-completions'),
      messages: requestAddressFor(url, 'messages'),
    },
  }
}
