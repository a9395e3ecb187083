import { join } from 'node:path'
import type { WebhookFormat, WebhookInput, WebhookView } from '@shared/contract'
import { dayMs, minuteMs } from '@shared/durations'
import { AppError, type Failure, toAppError } from '@shared/failure'
import { type Confirm, requireConsent } from '../../core/consent/consent'
import { refuseRequestAddress } from '../../core/net/address'
import { type Sleep, startDeadline } from '../../core/net/deadline'
import type { Send } from '../../core/net/send'
import { type FoundNotices, toAlertMessage } from '../../core/notices'
import type { Clock, Log } from '../../core/ports'
import { Secret } from '../../core/secret'
import { type AlertMemory, type AlertMessage, emptyAlertMemory, type WebhookRecord } from '../../core/settings/records'
import type { SettingsStore } from '../../core/settings/settings'
import { withProcessLockAsync } from '../../core/sqlite/process-lock'
import { saveWithRecord, type Vault, webhookAccount } from '../../core/vault/vault'
import { shareRunning } from '../../core/work-queue'
import { explainNetworkError } from '../../gateway/explain'
import { isObject, parseExternalJson, readRetryAfter } from '../../gateway/server-message'

export interface WebhookDeps {
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly clock: Clock
  readonly confirm: Confirm
  readonly log: Log
  readonly send: Send
  readonly sleep: Sleep
  readonly dataDir: string
}

/** The complete address, which is a secret for Slack and Teams, and an optional bearer token. */
interface Target {
  readonly address: string
  readonly token?: string | undefined
}

interface GivenSecrets {
  readonly address?: Secret | undefined
  readonly token?: Secret | undefined
}

const requestTimeoutMs = 10_000
/** Delays in ms before the three retries of a message. */
const retryDelaysMs = [1_000, 4_000, 16_000] as const
const maxRetryAfterMs = minuteMs
const maxAddressLength = 2000
const maxTokenLength = 1000
const maxTextLength = 2000
const maxPending = 50

/** Sends alerts to the address that the user confirmed. Undelivered messages wait in the settings for a day. */
export class Webhook {
  readonly #ending = new AbortController()

  constructor(private readonly deps: WebhookDeps) {}

  get(): WebhookView {
    const record = this.#record()
    if (record === undefined) return {}
    const { pending, memory: _, kept: __, ...webhook } = record
    return { webhook: { ...webhook, pendingCount: pending.length } }
  }

  isOn(): boolean {
    return this.#record() !== undefined
  }

  /**
   * Saves the webhook after confirmation. Keeps the saved address and token unless new ones are given, but sends the
   * token to no other host. `isAgreed` skips the question. Fails with `input.*`, `address.*` or `vault.*`.
   */
  async set({ format, hasToken }: WebhookInput, given: GivenSecrets, isAgreed = false): Promise<WebhookView> {
    const { settings, confirm } = this.deps
    const before = this.#record()
    if (before === undefined && given.address === undefined)
      throw new AppError('input.invalid', 'Give the address of the webhook.', { field: 'address' })
    const { address, token } = await this.#readGiven(before, given, hasToken)
    if (!isAgreed && (given.address !== undefined || given.token !== undefined)) {
      const { origin } = address
      await requireConsent(confirm, { kind: 'sendAlerts', origin, format, isSigned: token !== undefined })
    }
    const secret = new Secret(JSON.stringify({ address: address.href, token } satisfies Target))
    await saveWithRecord(this.deps, webhookAccount, secret, (kept) =>
      settings.update(({ webhook: current }) => ({
        webhook: {
          pending: [],
          memory: emptyAlertMemory,
          ...current,
          origin: address.origin,
          format,
          hasToken,
          kept,
          lastFailure: undefined,
        },
      })),
    )
    return this.get()
  }

  /** Checks the new address and token. Without new ones, returns the saved ones. */
  async #readGiven(before: WebhookRecord | undefined, given: GivenSecrets, hasToken: boolean) {
    const address = readWebhookAddress(given.address?.expose() ?? (await this.#readTarget()).address)
    if (!hasToken) return { address, token: undefined }
    const isKnown = before?.hasToken === true && before.origin === address.origin
    const token = given.token?.expose() ?? (isKnown ? (await this.#readTarget()).token : undefined)
    if (token === undefined)
      throw new AppError('input.invalid', 'Give the token that the webhook asks for.', { field: 'token' })
    if (token.length > maxTokenLength)
      throw new AppError('input.invalid', `The token is longer than ${maxTokenLength} characters.`, { field: 'token' })
    return { address, token }
  }

  /** Stops sending, and deletes the address and the token. */
  async remove(): Promise<WebhookView> {
    const { settings, vault } = this.deps
    await vault.forget(webhookAccount, this.#record()?.kept)
    settings.update(() => ({ webhook: undefined }))
    return this.get()
  }

  /** Sends one message without retries. Fails with `net.*`, `webhook.rejected` or `vault.*`. */
  async test(message: AlertMessage): Promise<{ durationMs: number }> {
    if (!this.isOn()) throw new AppError('input.invalid', 'Set a webhook first.', { field: 'address' })
    const startedAt = performance.now()
    await this.#deliver(message, [])
    return { durationMs: Math.round(performance.now() - startedAt) }
  }

  /** Adds messages for the notices that are due, atomically across processes. Returns whether there are any. */
  enqueue(find: (memory: AlertMemory) => FoundNotices): boolean {
    const currentTime = this.deps.clock()
    let hasNotices = false
    this.#update((record) => {
      const { notices, memory } = find(record.memory)
      hasNotices = notices.length > 0
      const pendingMessages = record.pending.filter(({ at }) => currentTime.getTime() - Date.parse(at) < dayMs)
      const messages = notices.map((notice) => toAlertMessage(notice, currentTime))
      return { ...record, memory, pending: [...pendingMessages, ...messages].slice(-maxPending) }
    })
    return hasNotices
  }

  /** Sends the waiting messages in order, unless another process does. Never rejects. */
  readonly flush = shareRunning(() => this.#flush())

  /** Cancels requests. Undelivered messages stay in the settings. */
  stop(): void {
    this.#ending.abort()
  }

  async #flush(): Promise<void> {
    const { dataDir, log } = this.deps
    try {
      await withProcessLockAsync(
        join(dataDir, 'webhook.lock'),
        async () => {
          const next = () => this.#record()?.pending[0]
          for (let message = next(); message !== undefined; message = next()) {
            await this.#deliver(message, retryDelaysMs)
            const { id: sentId } = message
            this.#update((record) => ({ ...record, pending: record.pending.filter(({ id }) => id !== sentId) }))
          }
        },
        0,
      )
    } catch (error) {
      const isBusy = error instanceof AppError && error.failure.code === 'storage.busy'
      if (!isBusy && !this.#ending.signal.aborted) log.error('webhook.send', error)
    }
  }

  /** Delivers one message and records the outcome. Rejects only with an `AppError`. */
  async #deliver(message: AlertMessage, delaysMs: readonly number[]): Promise<void> {
    const { clock } = this.deps
    try {
      await this.#sendWithRetries(await this.#readTarget(), message, delaysMs)
    } catch (error) {
      // Do not show the texts of unknown errors, which may contain the address.
      const unexpected = { code: 'internal.unexpected', message: 'The alert could not be sent. Try again.' } as const
      const failure: Failure = error instanceof AppError ? error.failure : unexpected
      if (!this.#ending.signal.aborted)
        this.#update((record) => ({ ...record, lastFailure: { at: clock().toISOString(), failure } }))
      throw toAppError(failure)
    }
    this.#update(({ lastFailure, ...record }) => ({ ...record, lastSentAt: clock().toISOString() }))
  }

  async #sendWithRetries(target: Target, message: AlertMessage, delaysMs: readonly number[]): Promise<void> {
    for (const delayMs of [...delaysMs, undefined]) {
      const { failure, isRetryable, retryAfterMs = 0 } = await this.#attempt(target, message)
      if (failure === undefined) return
      const isLast = delayMs === undefined || !isRetryable || retryAfterMs > maxRetryAfterMs
      if (isLast) throw toAppError(failure)
      await this.deps.sleep(Math.max(delayMs, retryAfterMs), this.#ending.signal)
    }
  }

  async #attempt({ address, token }: Target, message: AlertMessage): Promise<Attempt> {
    const { send, sleep, clock } = this.deps
    const { signal, stop } = startDeadline({ timeoutMs: requestTimeoutMs, signal: this.#ending.signal, sleep })
    const { origin } = new URL(address)
    try {
      const { status, headers, body } = await send({
        method: 'POST',
        url: address,
        signal,
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(toBody(message, this.#record()?.format ?? 'json')),
      })
      // The body is not read, because it may repeat the secret.
      await body?.cancel().catch(() => undefined)
      if (status >= 200 && status < 300) return {}
      const retryAfterMs = readRetryAfter(headers.get('retry-after'), clock().getTime())
      return {
        failure: { code: 'webhook.rejected', message: describeStatus(origin, status), status },
        isRetryable: status === 429 || status >= 500,
        retryAfterMs,
      }
    } catch (error) {
      // An `AppError` means that the address or the proxy was refused before anything was sent.
      if (error instanceof AppError) return { failure: error.failure, isRetryable: error.failure.code === 'net.proxy' }
      return { failure: explainNetworkError(error, origin), isRetryable: !this.#ending.signal.aborted }
    } finally {
      stop()
    }
  }

  async #readTarget(): Promise<Target> {
    const target = parseExternalJson((await this.deps.vault.get(webhookAccount)).expose())
    if (isObject(target) && typeof target.address === 'string')
      return { address: target.address, token: typeof target.token === 'string' ? target.token : undefined }
    throw new AppError('vault.keyMissing', 'The address of the webhook is not in the keychain. Paste it again.')
  }

  #record(): WebhookRecord | undefined {
    return this.deps.settings.read().webhook
  }

  #update(change: (record: WebhookRecord) => WebhookRecord): void {
    this.deps.settings.update(({ webhook }) => (webhook === undefined ? {} : { webhook: change(webhook) }))
  }
}

/** Outcome of one request. Delivered without a `failure`. */
interface Attempt {
  readonly failure?: Failure
  readonly isRetryable?: boolean
  readonly retryAfterMs?: number | undefined
}

function describeStatus(origin: string, status: number): string {
  const reason =
    status >= 300 && status < 400
      ? 'It redirects, and alerts follow no redirects. Enter the final address.'
      : status === 429
        ? 'It receives too many messages. The app tries again.'
        : status >= 500
          ? 'Its server failed. The app tries again.'
          : 'Check the address, the format and the token. The webhook may have been deleted.'
  return `${origin} did not accept the alert (${status}). ${reason}`
}

/** Scheme and host of a webhook's address, which may be shown. Fails with `address.*`. */
export const toWebhookOrigin = (address: Secret): string => readWebhookAddress(address.expose()).origin

/** Parses the address of a webhook. Failures never contain it. Fails with `address.*`. */
function readWebhookAddress(text: string): URL {
  if (text.length > maxAddressLength || !URL.canParse(text)) {
    const message = 'This is not the address of a webhook. Copy it as https://host/path.'
    throw new AppError('address.notAnAddress', message, { field: 'address' })
  }
  const url = new URL(text)
  const refusal = refuseRequestAddress(url.href)
  if (refusal) throw new AppError(refusal.code, refusal.message, { ...refusal, field: 'address' })
  url.hash = ''
  return url
}

const shorten = (text: string): string => (text.length > maxTextLength ? `${text.slice(0, maxTextLength - 1)}…` : text)

/** Request body in the receiver's format. Names of plans and keys come from outside and never become markup. */
function toBody(message: AlertMessage, format: WebhookFormat): unknown {
  const [title, text] = [shorten(message.title), shorten(message.text)]
  if (format === 'json') return { app: 'platform-companion', ...message, title, text }
  if (format === 'slack') {
    const lines = `${title}\n${text}`
    // Escapes mentions and links (Slack, "Formatting text for app surfaces").
    return { text: lines.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') }
  }
  const run = (value: string, style: object) => ({
    type: 'RichTextBlock',
    // Text runs, unlike text blocks, have no Markdown.
    inlines: [{ type: 'TextRun', text: value, ...style }],
  })
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [run(title, { weight: 'Bolder', size: 'Medium' }), run(text, {})],
        },
      },
    ],
  }
}
