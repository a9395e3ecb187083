/** One request as it goes out, to the letter; `url` is already encoded, `body` is sent as UTF-8. */
export interface SendRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** What came back; the body is not read yet and has to be read or cancelled. */
export interface SendAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null; entries?(): Iterable<[string, string]> }
  readonly body: Response['body']
}

/** Sends one request, follows no redirect and repeats nothing; rejects with an `AppError` or what broke the exchange. */
export type Send = (request: SendRequest) => Promise<SendAnswer>
