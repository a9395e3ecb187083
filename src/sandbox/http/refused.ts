/** An answer other than success, thrown from wherever it is found out. Its message is shown to the caller. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(answer: { status: number; code: string; message: string; headers?: Readonly<Record<string, string>> }) {
    super(answer.message)
    this.name = 'Refused'
    this.status = answer.status
    this.code = answer.code
    this.headers = answer.headers ?? {}
  }
}
