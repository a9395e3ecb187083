import type { AppError, FailureCode } from '@shared/failure'

/** These concern one holder's key alone. */
const ofOne: readonly FailureCode[] = ['account.invalidName', 'api.badRequest', 'api.conflict', 'api.notFound']

/** What went wrong for one of many, as far as it would go wrong for the others as well: then they are not tried. */
export class InTheWay {
  #full: AppError | undefined
  #all: AppError | undefined

  /** Without a free slot only those whose key is made already get theirs. */
  note(error: AppError): void {
    const { code } = error.failure
    if (code === 'account.keyLimitReached') this.#full = error
    else if (!ofOne.includes(code)) this.#all = error
  }

  /** What would fail for the next one; `isBegun`: a key may be there for them. */
  of(isBegun: boolean): AppError | undefined {
    return this.#all ?? (isBegun ? undefined : this.#full)
  }
}
