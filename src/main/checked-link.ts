import { AppError } from '@shared/failure'

const schemes = ['http:', 'https:', 'mailto:']

/** An address that may be opened outside of the app: http, https and mailto alone, without user and password. Fails with `input.invalid`. */
export function checkedLink(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && schemes.includes(url.protocol) && url.username === '' && url.password === '') return url.href
  throw new AppError('input.invalid', 'Only web and mail addresses are opened outside of the app.', { field: 'url' })
}
