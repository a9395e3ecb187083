import { type Addresses, type CallArguments, prepare } from '../platform/build-request'
import type { Operation } from '../platform/service-definition'
import { bodyShown } from './inject-secrets'

/** A call that is written down. */
interface WrittenCall {
  readonly operation: Operation
  readonly args: CallArguments
  readonly connection: { readonly name: string; readonly addresses: Addresses }
}

/** The call for curl, with the token as `$PLATFORM_TOKEN` and secrets of the body as `$SECRET_1` on. Fails as `prepare` does. */
export function curlCode({ operation, args, connection }: WrittenCall): string {
  const { url, body } = prepare(operation, { ...args, body: marked(args.body) }, connection.addresses)
  const lines = [
    `curl -sS -X ${operation.method} ${quoted(url)}`,
    '-H "Authorization: Bearer $PLATFORM_TOKEN"',
    "-H 'Accept: application/json'",
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data-raw ${withVariables(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** The call for this app's command line; a body with secrets comes by standard input, where no other program sees it. */
export function companionCode({ operation, args, connection }: WrittenCall): string {
  const body = args.body === undefined ? undefined : JSON.stringify(marked(args.body))
  const hasSecrets = /\\u0001SECRET_1/.test(body ?? '')
  const pairs = (flag: string, values: Readonly<Record<string, unknown>> = {}): string[] =>
    Object.entries(values).map(([name, value]) => `${flag} ${quoted(`${name}=${String(value)}`)}`)
  const parts = [
    `companion api call ${operation.id}`,
    `--connection ${quoted(connection.name)}`,
    ...pairs('--path', args.path),
    ...pairs('--query', args.query),
    ...(body === undefined ? [] : [hasSecrets ? '--body @-' : `--body ${quoted(body)}`]),
  ]
  const call = parts.join(' \\\n  ')
  return hasSecrets && body !== undefined ? `printf '%s' ${withVariables(body)} | ${call}` : call
}

/** A text as one word of a POSIX shell. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const mark = (count: number): string => `\u0001SECRET_${count}\u0001`

const marked = (body: unknown): unknown => bodyShown(body, (at) => mark(at + 1))

/** The quoted text with each mark outside of the single quotes, where the shell puts in the variable. */
function withVariables(body: string): string {
  const written = `'${body.replaceAll("'", "'\\''")}'`
  return written.replace(/\\u0001(SECRET_\d+)\\u0001/g, (_, name: string) => `'"$${name}"'`)
}
