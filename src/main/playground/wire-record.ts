import type { PlaygroundWire } from '@shared/contract'
import type { SendAnswer } from '../net/send'
import type { Secret } from '../secret'
import { BoundedText, bounded } from './bounded-text'
import { Screen } from './screen'
import type { TargetAnswer } from './targets'

/** Headers of an answer whose value may let somebody in. */
const SECRET_HEADER = /cookie|authorization|authenticate|token|secret|api-?key/i

/** A request and its answer as they went over the wire, for the inspector: without secrets, long texts by beginning and end. */
export class WireRecord {
  readonly #requestAddress: string
  readonly #secrets: () => readonly Secret[]
  readonly #screen: Screen
  readonly #decoder = new TextDecoder()
  readonly #body = new BoundedText()
  #requestBody = bounded('')
  #head: Pick<PlaygroundWire, 'status' | 'requestHeaders' | 'answerHeaders' | 'isEventStream'> = {
    requestHeaders: [],
    answerHeaders: [],
    isEventStream: false,
  }

  constructor(requestAddress: string, secrets: () => readonly Secret[]) {
    this.#requestAddress = requestAddress
    this.#secrets = secrets
    this.#screen = new Screen(secrets)
  }

  request(body: string): void {
    this.#requestBody = bounded(body)
  }

  begin({ answer, requestHeaders }: TargetAnswer): void {
    this.#head = {
      status: answer.status,
      requestHeaders: requestHeaders.map(([name, value]) => [name, value]),
      answerHeaders: this.#headersOf(answer),
      isEventStream: /^\s*text\/event-stream\b/i.test(answer.headers.get('content-type') ?? ''),
    }
  }

  add(bytes: Uint8Array): void {
    this.#body.add(this.#screen.pass(this.#decoder.decode(bytes, { stream: true })))
  }

  end(): void {
    this.#body.add(this.#screen.pass(this.#decoder.decode()) + this.#screen.rest())
  }

  view(): PlaygroundWire {
    const { isShortened, text } = this.#body
    const { text: requestBody, isShortened: isRequestShortened } = this.#requestBody
    return {
      ...{ method: 'POST', requestAddress: this.#requestAddress, requestBody, ...this.#head },
      ...{ answerBody: text, isShortened: isShortened || isRequestShortened },
    }
  }

  #headersOf({ headers }: SendAnswer): [string, string][] {
    const hide = (text: string): string => this.#secrets().reduce((left, secret) => secret.hideIn(left), text)
    const all = [...(headers.entries?.() ?? [])]
    return all.map(([name, value]) => [name, SECRET_HEADER.test(name) ? '[hidden]' : hide(value)])
  }
}
