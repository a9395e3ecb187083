import { AppError } from '@shared/failure'

/** What every reader takes as it is, without quotes. */
const PLAIN = /^[\w./:@%+,=-]+$/

/**
 * A value as every reader of `.env` files takes it (dotenv, python-dotenv, dotenvy): plain, or in quotes. `input.invalid`
 * with the variable's name for one that they would read differently: with line ends, or with quotes and escapes at once.
 */
export function written(name: string, value: string): string {
  if (PLAIN.test(value)) return value
  const hasLines = /[\r\n]/.test(value) || value.includes('\0')
  const isLiteral = !value.includes("'") && !value.includes('\\\\') && !value.endsWith('\\') && !value.includes('${')
  if (!hasLines && isLiteral) return `'${value}'`
  if (!hasLines && !/["\\$]/.test(value)) return `"${value}"`
  const message = `The value of ${name} cannot be written to a .env file so that every tool reads the same. Use another one.`
  throw new AppError('input.invalid', message, { field: name })
}
