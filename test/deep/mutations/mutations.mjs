import { attacks } from './attacks.mjs'

/**
 * Manually inserted faults, each a realistic mistake with a harmful effect.
 * @typedef {object} Mutation
 * @property {string} file from the root
 * @property {string} find text that occurs exactly once in the file
 * @property {string} replace
 * @property {string} harm harm to the user
 * @property {string} [test] unit test file that finds it, run first
 * @property {string} [spec] end-to-end specs, for faults that the unit tests do not find
 */

/** @type {readonly (readonly [file: string, find: string, replace: string, harm: string, spec?: string])[]} */
const rows = [
  // Faults in the parsing of gateway addresses.
  [
    'src/main/core/net/address.ts',
    "'chat-completions': { base: '/v1'",
    "'chat-completions': { base: ''",
    'every chat-completions tool gets 404',
  ],
  [
    'src/main/core/net/address.ts',
    "messages: { base: '', request: '/v1/messages' }",
    "messages: { base: '/v1', request: '/messages' }",
    'tools of the second standard call /v1/v1/messages',
  ],
  [
    'src/main/core/net/address.ts',
    "if (protocol === 'https:' || isLoopbackHost(hostname)) return undefined",
    "if (protocol === 'https:' || hostname !== '') return undefined",
    'keys go out unprotected over http',
  ],
  [
    'src/main/core/net/address.ts',
    "return url === undefined ? '' : url.origin + url.pathname",
    "return url === undefined ? '' : url.href",
    'a password in an address is shown',
  ],
  [
    'src/main/core/net/address.ts',
    "const hasPort = port !== '' && port !== defaultPorts[scheme]",
    "const hasPort = port !== '' && port === defaultPorts[scheme]",
    'the port of a gateway is lost',
  ],
  [
    'src/main/gateway/explain.ts',
    "402: 'gateway.planExpired'",
    "402: 'gateway.keyRejected'",
    'an expired plan is told as a wrong key',
  ],
  [
    'src/main/gateway/explain.ts',
    'const isPlanExpired = status === 402 && /expire|delete/i.test(serverMessage.text)',
    'const isPlanExpired = status === 402',
    'a 402 that speaks of the allowance is told as an expired plan',
  ],
  [
    'src/main/gateway/explain.ts',
    "if (status >= 500) return 'gateway.serverError'",
    "if (status > 500) return 'gateway.serverError'",
    'a failing server is told as a bad request',
  ],
  [
    'src/main/gateway/explain.ts',
    'message: redact(failureMessage, answer.secrets) + quoted',
    'message: failureMessage + quoted',
    'a key in an address stands in a failure',
  ],
  [
    'src/main/gateway/usage.ts',
    'findMaxCount(cacheSources, cacheReadNames)',
    'findMaxCount(cacheSources, cacheWriteNames)',
    'cache figures are swapped',
  ],
  ['src/main/gateway/usage.ts', 'Math.max(0, prompt - totalCacheTokens)', 'prompt', 'cached tokens count twice'],
  [
    'src/main/gateway/response-reader.ts',
    "delta.type === 'text_delta'",
    "delta.type === 'text'",
    'streamed answers are empty',
  ],
  [
    'src/main/gateway/response-reader.ts',
    "getText(message, 'refusal') + ",
    '',
    'a refusal is shown as an empty answer',
  ],
  // Secrets
  [
    'src/main/core/secret.ts',
    'const MIN_LENGTH_WITH_TAIL = 12',
    'const MIN_LENGTH_WITH_TAIL = 4',
    'half of a short key is shown',
  ],
  [
    'src/main/core/secret.ts',
    'const secretForms = new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])',
    'const secretForms = new Set([value])',
    'a key written as JSON stays in a log',
  ],
  ['src/main/core/secret.ts', '/()\\bsk[-_][\\w-]{13,}/gi', '/()\\bsk[-_][\\w-]{130,}/gi', 'keys stay in logs'],
  [
    'src/main/tools/editors/masking.ts',
    'maskComment = maskSecretForms } = options',
    'maskComment = (raw: string) => raw } = options',
    'a key in a comment of a tool’s file is shown',
  ],
  ['src/main/core/csv.ts', 'formula.test(text) ?', "text === '' ?", 'a spreadsheet runs a name'],
  [
    'src/main/core/audit/trail.ts',
    'redact(text).slice(0, MAX_TEXT_LENGTH)',
    'text.slice(0, MAX_TEXT_LENGTH)',
    'a key given as a name stays in the audit trail',
  ],
  [
    'src/main/core/audit/trail.ts',
    'else if (line.previous !== hash)',
    "else if (line.previous === '')",
    'a changed line of the audit log is not detected',
  ],
  [
    'src/main/core/audit/trail.ts',
    "if (count < end.count) return { brokenAt: count + 1, reason: 'removed' }",
    '',
    'lines removed from the end of the audit log are not detected',
  ],
  // The platform
  ['src/shared/limits.ts', 'replicas: { min: 1,', 'replicas: { min: 0,', 'a runtime without a replica is sent'],
  [
    'src/shared/limits.ts',
    'searchLimit: { min: 5,',
    'searchLimit: { min: 1,',
    'a search that the platform refuses is sent',
  ],
  [
    'src/shared/limits.ts',
    'expiryDays: { min: 1, max: 365 }',
    'expiryDays: { min: 1, max: 366 }',
    'an expiry that the platform refuses is sent',
  ],
  ['src/shared/limits.ts', '/^[a-z0-9-]{5,50}$/', '/^[a-z0-9-]{4,50}$/', 'a name that the platform refuses is sent'],
  [
    'src/main/platform/services.ts',
    'const springPaging: Paging = {\n  firstPage: 0',
    'const springPaging: Paging = {\n  firstPage: 1',
    'the first page of identities is left out',
  ],
  [
    'src/main/platform/platform-client.ts',
    "if (method !== 'GET' || retries",
    'if (retries',
    'a purchase is made twice',
  ],
  [
    'src/main/platform/platform-client.ts',
    'failure.retryAfterMs <= MAX_WAIT_MS ? failure.retryAfterMs : undefined',
    'failure.retryAfterMs',
    'the app waits an hour without a word',
  ],
  [
    'src/main/platform/platform-client.ts',
    'return sendWithRetry({ ...attempt, token }, context)',
    'return sendWithRenewal({ ...attempt, token }, context)',
    'a platform that answers 401 is asked for ever',
  ],
  [
    'src/main/platform/build-request.ts',
    "if (text === '.' || text === '..') throw inputError(name, 'cannot be a dot or two dots')\n",
    '',
    'a name of two dots deletes something else',
  ],
  ['src/main/platform/build-request.ts', "replace(/[!'()*]/g", 'replace(/[!]/g', 'names with brackets are not found'],
  // Rotation
  [
    'src/main/keys/rotation/steps.ts',
    "  { id: 'check', run: check },",
    "  { id: 'check', run: async () => 'done' },",
    'tools get a key that does not work',
  ],
  [
    'src/main/keys/rotation/steps.ts',
    "if (await isPossiblyInUse(run, 'old')) return 'switchAgain'\n  const previousKey = await findOldKey(run)\n  if (previousKey === undefined ||",
    'const previousKey = await findOldKey(run)\n  if (previousKey === undefined ||',
    'a key is disabled that a tool still uses',
  ],
  [
    'src/main/keys/rotation/steps.ts',
    'await waitForOldRequests(run)\n  await run.ports.account',
    'await run.ports.account',
    'requests under way are cut off',
  ],
  [
    'src/main/keys/rotation/steps.ts',
    "if (deleteAt !== undefined) return nowMs < Date.parse(deleteAt) ? 'wait' : 'done'",
    "if (deleteAt !== undefined) return nowMs > Date.parse(deleteAt) ? 'wait' : 'done'",
    'the old key is deleted at once',
  ],
  [
    'src/main/keys/rotation/steps.ts',
    'const existingKey = mayHaveAddedKey(error) ? await findNewKey(run) : undefined',
    'const existingKey = undefined',
    'after a lost answer a rotation stops, although its new key is there',
  ],
  [
    'src/main/keys/rotation/key-switch.ts',
    "const acceptedKeyCodes: readonly FailureCode[] = ['gateway.modelNotInPlan', 'gateway.quotaExhausted']",
    'const acceptedKeyCodes: readonly FailureCode[] = []',
    'no key of an exhausted plan can be rotated',
  ],
  [
    'src/main/keys/rotation/steps.ts',
    "if (localKeyRecord?.kept !== 'keychain') return undefined",
    "if (localKeyRecord?.kept === 'missing') return undefined",
    'a tool is switched to a key that only this process has',
  ],
  ['src/shared/limits.ts', 'nameCharacters: 50', 'nameCharacters: 60', 'the account refuses the new key’s name'],
  [
    'src/main/keys/rotation/rotation.ts',
    '!neededKeyIds.has(keyId) && this.ports.listHolders({ ...plan.origin, keyId }).length === 0',
    '!neededKeyIds.has(keyId)',
    'a key that somebody holds is offered for deletion',
  ],
  // Hand-out
  [
    'src/main/keys/handout/kit.ts',
    "code.toUpperCase().replace(/[^0-9A-Z]/g, '')",
    "code.replace(/[^0-9A-Z]/g, '')",
    'a code typed in small letters is refused',
  ],
  [
    'src/main/core/launcher/command-arguments.ts',
    '(?<place>[a-z]+)/?$',
    '(?<place>[a-z]+)/?',
    'a link may carry anything behind it',
  ],
  [
    'src/main/keys/handout/kit-encryption.ts',
    'const maxWorkFactor = 18',
    'const maxWorkFactor = 1800',
    'a kit makes the machine stand still',
  ],
  // Tools’ files
  [
    'src/main/core/files/files.ts',
    'if (expect !== undefined) await requireUnchanged(path, expect, disk)\n    if (fileStats',
    'if (fileStats',
    'what somebody wrote meanwhile is lost',
  ],
  [
    'src/main/core/files/files.ts',
    'if (facts.nlink > 1) return false',
    'if (facts.nlink > 1) return true',
    'a hard link is cut, and the other name keeps the old settings',
  ],
  [
    'src/main/core/files/files.ts',
    'if ((oldMode & mode) !== oldMode) await file.chmod(oldMode & mode)',
    '',
    'others read the key for a moment',
  ],
  [
    'src/main/core/files/files.ts',
    "new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)\n  } catch {\n    throw new AppError('file.unparsable'",
    "new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)\n  } catch {\n    throw new AppError('file.unparsable'",
    'a file that is not UTF-8 is destroyed',
  ],
  [
    'src/main/tools/targets/claude-code.ts',
    "role: 'credential' as const }, env('ANTHROPIC_AUTH_TOKEN', '')]",
    "role: 'credential' as const }]",
    'a token of the shell goes to the plan’s gateway',
  ],
  [
    'src/main/tools/targets/claude-code.ts',
    "{ path: ['env', 'ANTHROPIC_BASE_URL'], value: baseAddress(input.gatewayUrl, 'messages')",
    "{ path: ['env', 'ANTHROPIC_BASE_URL'], value: baseAddress(input.gatewayUrl, 'chat-completions')",
    'Claude Code gets 404',
  ],
  [
    'src/main/core/environment.ts',
    'function quoteForSh(argument: string): string {',
    'function quoteForSh(argument: string): string {\n  if (argument.length > 0) return argument',
    'a folder with a quote in its name runs a command',
  ],
  [
    'src/main/tools/editors/tree-editor.ts',
    "if (second !== undefined) throw refuse('twice', second.start)",
    "if (second?.start === -1) throw refuse('twice', second.start)",
    'the line that counts stays as it was',
  ],
  [
    'src/main/tools/editors/changes.ts',
    '.sort((a, b) => a.index - b.index)',
    '.sort((a, b) => b.index - a.index)',
    'lists come back in another order',
  ],
  // The relay
  [
    'src/main/relay/routing-table.ts',
    "if (!isOurHost(head.host, port)) return createRefusal('wrongHost')\n",
    '',
    'a page reaches the relay by DNS rebinding',
  ],
  [
    'src/main/relay/routing-table.ts',
    "if (head.isOfPage) return createRefusal('page')\n",
    '',
    'any web page may use the plan',
  ],
  [
    'src/main/relay/routing-table.ts',
    'if (client === undefined || !hasToken(head, client.token))',
    'if (client === undefined)',
    'the relay serves without a token',
  ],
  ['src/main/relay/headers.ts', "'x-api-key',\n  'api-key',", "'api-key',", 'the tool’s token goes to the gateway'],
  [
    'src/main/relay/headers.ts',
    "!key.startsWith('access-control-')",
    "key !== ''",
    'pages may read the relay’s answers',
  ],
  [
    'src/main/relay/exchange.ts',
    'return status === 401 ||',
    'return status === 400 || status === 401 ||',
    'a bad request goes to every key in turn',
  ],
  [
    'src/main/relay/attempt.ts',
    "return isUsageEvent(this.#pending) ? Buffer.alloc(0) : Buffer.from(this.#pending, 'latin1')",
    'return Buffer.alloc(0)',
    'the last words of a stream are lost',
  ],
  // Usage and quota
  [
    'src/main/usage/ledger/calendar.ts',
    'Math.floor((ms - endsAt) / lengthMs)',
    'Math.floor((ms - endsAt) / lengthMs - 1)',
    'the cycle that is shown is the one before',
  ],
  [
    'src/main/usage/tool-logs/index.ts',
    'return Math.max(0, prompt - cachedTokenSum)',
    'return prompt',
    'cached tokens of logs count twice',
  ],
  [
    'src/main/usage/ledger/write.ts',
    'sums.add(place, counts, -1)\n',
    '',
    'a request seen by relay and log counts twice',
  ],
  [
    'src/main/usage/ledger/store.ts',
    'outputTokens: row.number(firstColumn + 3)',
    'outputTokens: row.number(firstColumn + 4)',
    'cache tokens are shown as output',
  ],
  // The window
  [
    'src/renderer/features/home/attention-items.ts',
    "if (expiresAt !== undefined && remainingMs <= 0) return { kind: 'planExpired', plan: { ...plan, expiresAt } }\n",
    '',
    'Home does not say that a plan has ended',
    'home',
  ],
  ['src/renderer/format.ts', 'size * 0.9995', 'size', '999,999 tokens are shown as 1000K'],
  ['src/renderer/format.ts', "[1e6, 'M']", "[1e6, 'K']", 'millions are shown as thousands'],
  // The bridge
  [
    'src/main/app/bridge.ts',
    'if (outputResult.success) return ok(outputResult.data)',
    'if (output !== null) return ok(output)',
    'what a handler gives goes to the window unread',
    'security',
  ],
  // The sandbox
  ['src/sandbox/state/plans.ts', "if (plan.status === 'EXPIRED') return 0\n", '', 'an expired plan is refunded'],
  [
    'src/sandbox/state/plans.ts',
    'return tokens <= 0 || requests <= 0',
    'return tokens <= 0 && requests <= 0',
    'the sandbox serves an exhausted model',
  ],
  [
    'src/sandbox/standards.ts',
    "typeof apiKey === 'string' && apiKey.trim() !== '' ? apiKey.trim() : undefined",
    'undefined',
    'tools that send x-api-key get 401',
  ],
  [
    'src/sandbox/gateway.ts',
    'if (!plan.models.some((model) => model.modelCode === modelCode)) throw createModelNotInPlan(modelCode, plan)\n',
    '',
    'the sandbox serves models outside of the plan',
  ],
]

/** @type {readonly Mutation[]} */
export const mutations = [
  ...rows.map(([file, find, replace, harm, spec]) => ({
    file,
    find,
    replace,
    harm,
    ...(spec === undefined ? {} : { spec }),
  })),
  ...attacks.map(([file, find, replace, harm, test]) => ({ file, find, replace, harm, test })),
]
