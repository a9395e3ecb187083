import { format, inspect } from 'node:util'
import { AppError } from '@shared/failure'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanPastedKey, maskSecretForms, redact, Secret } from '../../../../src/main/core/secret'
import { catchFailure } from '../tools/support/refusals'

const KEY = 'sk-abcdefghijklmnopqrstuvwxyz-a1b2'

describe('Secret', () => {
  it('returns its value only through expose', () => {
    const secret = new Secret(KEY)
    expect(secret.expose()).toBe(KEY)
    expect(Object.getOwnPropertyNames(secret)).toEqual([])
  })

  it.each([
    ['string conversion', (secret: Secret) => String(secret)],
    ['a template', (secret: Secret) => `${secret}`],
    ['concatenation', (secret: Secret) => `${['', secret].join('')}`],
    ['inspection', (secret: Secret) => inspect(secret, { showHidden: true })],
    ['inspection inside an object', (secret: Secret) => inspect({ deep: { secret } }, { depth: 9 })],
    ['inspection without printers', (secret: Secret) => inspect(secret, { customInspect: false, showHidden: true })],
    ['formatting', (secret: Secret) => format('%s %o %O', secret, secret, secret)],
  ])('is not printed by %s', (_name, print) => {
    const printedText = print(new Secret(KEY))
    expect(printedText).not.toContain('abcdef')
    expect(printedText).not.toContain('a1b2')
  })

  it('prints as [secret]', () => {
    expect([`${new Secret(KEY)}`, inspect(new Secret(KEY))]).toEqual(['[secret]', '[secret]'])
  })

  it('cannot be serialized as JSON, also inside an object', () => {
    expect(catchFailure(() => JSON.stringify({ key: new Secret(KEY) }))).toMatchObject({ code: 'internal.unexpected' })
  })

  it('leaves nothing in a structured clone', () => {
    expect(inspect(structuredClone(new Secret(KEY)), { showHidden: true })).toBe('{}')
  })

  it.each([
    [KEY, 'sk-...a1b2', 'a1b2'],
    ['a-bcdefghijklm', 'a-...jklm', 'jklm'],
    ['tokenplan-abcdefgh', '...efgh', 'efgh'],
    ['abcdefghijkl', '...ijkl', 'ijkl'],
    ['-abcdefghijkl', '...ijkl', 'ijkl'],
    ['sk-45678901', '...', ''],
    ['x', '...', ''],
  ])('shows of %s no more than %s', (value, masked, last4) => {
    expect(new Secret(value).masked).toBe(masked)
    expect(new Secret(value).last4).toBe(last4)
  })

  it.each([
    ['nothing', ''],
    ['spaces', '   '],
    ['a space inside', 'sk-abc def'],
    ['a line break at its end', 'sk-abcdef\n'],
    ['a null character', 'sk-abc\0def'],
    ['an escape character', 'sk-\u001b[31mabcdef'],
    ['the dots of a shortened key', 'sk-abcdef…a1b2'],
    ['bullets', 'sk-••••••••a1b2'],
    ['a zero-width space', 'sk-abc\u200bdef'],
  ])('refuses %s without repeating it', (_name, value) => {
    const message = expect.not.stringMatching(/abc|def|a1b2/)
    expect(catchFailure(() => new Secret(value))).toMatchObject({ code: 'input.invalid', field: 'key', message })
  })

  it('never shows more of a key than prefix and tail', () => {
    const keys = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.'), minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(keys, (value) => {
        expect(new Secret(value).masked.replace('...', '').length).toBeLessThanOrEqual(value.length < 12 ? 0 : 7)
      }),
    )
  })
})

describe('cleanPastedKey', () => {
  it.each([
    ['the key alone', KEY],
    ['spaces around', `  \t${KEY}  `],
    ['a line break at the end', `${KEY}\r\n`],
    ['empty lines around', `\n\n${KEY}\n\n`],
    ['a byte order mark', `\ufeff${KEY}`],
    ['a zero-width space inside', `${KEY.slice(0, 5)}\u200b${KEY.slice(5)}`],
    ['double quotes', `"${KEY}"`],
    ['single quotes', `'${KEY}'`],
    ['curly quotes', `“${KEY}”`],
    ['backticks', `\`${KEY}\``],
    ['quotes and a comma', `"${KEY}",`],
    ['Bearer', `Bearer ${KEY}`],
    ['bearer in lower case', `bearer   ${KEY}`],
    ['a header', `Authorization: Bearer ${KEY}`],
    ['a quoted header', `"Authorization: Bearer ${KEY}"`],
    ['a header of the second standard', `x-api-key: ${KEY}`],
    ['a shell export', `export ANTHROPIC_AUTH_TOKEN=${KEY}`],
    ['a quoted shell export', `export API_KEY="${KEY}"\n`],
    ['a line of an env file', `OPENAI_API_KEY=${KEY}`],
    ['a line of a TOML file', `api_key = "${KEY}"`],
    ['a Windows variable', `set API_KEY=${KEY}`],
    ['a PowerShell variable', `$env:API_KEY = '${KEY}'`],
  ])('finds the key in %s', (_name, text) => {
    expect(cleanPastedKey(text).expose()).toBe(KEY)
  })

  it('keeps the padding of a base64 key', () => {
    expect(cleanPastedKey('abcdefGHIJ==').expose()).toBe('abcdefGHIJ==')
  })

  it.each([
    ['nothing', ''],
    ['spaces only', ' \n '],
    ['empty quotes', '""'],
    ['a variable without a value', 'export API_KEY='],
    ['a bare variable without a value', 'API_KEY='],
    ['a header without a key', 'Authorization: Bearer '],
    ['several lines', `${KEY}\n${KEY}`],
    ['several lines of an env file', `A_KEY=${KEY}\nB_KEY=${KEY}`],
    ['a value on the next line', `A_KEY=\n${KEY}`],
    ['several words', `my key is ${KEY}`],
    ['a whole command', `curl -H "Authorization: Bearer ${KEY}" https://gw.example.com`],
    ['a long text', `${'x'.repeat(9000)}`],
  ])('refuses %s without repeating it', (_name, text) => {
    const message = expect.not.stringContaining(KEY)
    expect(catchFailure(() => cleanPastedKey(text))).toMatchObject({ code: 'clipboard.noKey', field: 'key', message })
  })

  it('finds the same key inside any combination of wrappings', () => {
    const wrapArbitrary = fc.constantFrom<(text: string) => string>(
      (text) => ` ${text} `,
      (text) => `"${text}"`,
      (text) => `'${text}'`,
      (text) => `Bearer ${text}`,
      (text) => `Authorization: ${text}`,
      (text) => `KEY=${text}`,
      (text) => `${text}\n`,
    )
    fc.assert(
      fc.property(fc.array(wrapArbitrary, { maxLength: 5 }), (wraps) => {
        expect(cleanPastedKey(wraps.reduce((text, wrapText) => wrapText(text), KEY)).expose()).toBe(KEY)
      }),
    )
  })

  it('returns a secret or a failure for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        try {
          expect(cleanPastedKey(text)).toBeInstanceOf(Secret)
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
        }
      }),
    )
  })
})

describe('redact', () => {
  it.each([
    [
      'a bearer token',
      'sent Authorization: Bearer abc.def/ghi+123= twice',
      'sent Authorization: Bearer [secret] twice',
    ],
    ['a bearer token in JSON', '{"auth":"Bearer abc123","n":1}', '{"auth":"Bearer [secret]","n":1}'],
    ['a bearer token in escaped JSON', '{"m":"\\"Bearer abc123\\""}', '{"m":"\\"Bearer [secret]\\""}'],
    ['a key', 'key sk-0123456789abc is wrong', 'key [secret] is wrong'],
    ['a key header', 'x-api-key: abc123', 'x-api-key: [secret]'],
    ['a web token', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.c2ln', 'got [secret]'],
  ])('removes %s', (_name, text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it.each([
    ['a short code', 'sk-short is not a key'],
    ['a word that ends in sk', 'the task-with-a-long-name-here stays'],
    ['prose about bearer tokens', 'Bearer token is missing, bearer authentication required'],
    ['a model code', 'the model gpt-4-turbo-preview-2024-04-09 is unknown'],
  ])('keeps %s', (_name, text) => {
    expect(redact(text)).toBe(text)
  })

  it('removes given secrets in any form, including URL and JSON encoding', () => {
    const secretWithSymbols = new Secret('my/own"key+1')
    const text = `a my/own"key+1 b ${encodeURIComponent('my/own"key+1')} c ${JSON.stringify('my/own"key+1')}`
    expect(redact(text, [secretWithSymbols, new Secret(KEY)])).toBe('a [secret] b [secret] c "[secret]"')
  })

  it('removes a given secret from any surrounding text', () => {
    const value = 'plain0key1without2form'
    fc.assert(
      fc.property(fc.string(), fc.string(), (prefix, suffix) => {
        expect(redact(prefix + value + suffix, [new Secret(value)])).not.toContain(value)
      }),
    )
  })

  it('reads long adversarial texts without backtracking', () => {
    for (const fragment of ['eyJ-', 'sk-', 'bearer ', 'x-api-key ', 'Bearer auth'])
      expect(redact(fragment.repeat(64_000) + KEY, [new Secret(KEY)])).not.toContain(KEY)
  })
})

/** Second half of the fake keys. It is appended at run time, so that secret scanners do not report this file. */
const keySuffix = 'abcdefghij0123456789ABCDEFGHIJ012345'
const hex = '0123456789abcdef0123456789abcdef'

describe('a key in any text', () => {
  it.each([
    ['OpenAI', `sk-proj-${keySuffix}`],
    ['Anthropic', `sk-ant-api03-${keySuffix}`],
    ['Stripe', `rk_live_${keySuffix}`],
    ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['AWS, temporary', 'ASIAIOSFODNN7EXAMPLE'],
    ['Google', `AIza${keySuffix}`],
    ['Google, OAuth', `ya29.${keySuffix}`],
    ['Google, client secret', `GOCSPX-${keySuffix}`],
    ['GitHub', `ghp_${keySuffix}`],
    ['GitHub, fine-grained', `github_pat_${keySuffix}_${keySuffix}`],
    ['GitLab', `glpat-${keySuffix}`],
    ['Slack', `xoxb-123456789012-${keySuffix}`],
    ['Slack, app', `xapp-1-A0123-${keySuffix}`],
    ['JWT', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${keySuffix}`],
    ['Azure, client secret', `abc8Q~${keySuffix.slice(0, 33)}`],
    ['npm', `npm_${keySuffix}`],
    ['Hugging Face', `hf_${keySuffix}`],
    ['PyPI', `pypi-AgEIcHlwaS5vcmc${keySuffix}`],
    ['Docker', `dckr_pat_${keySuffix}`],
    ['SendGrid', `SG.${keySuffix.slice(0, 22)}.${keySuffix}`],
    ['Discord', `MTA0NzY5MTIzNDU2Nzg5MDEy.GaBcDe.${keySuffix}`],
    ['Airtable', `patAbCdEfGhIjKlMn.${hex}${hex}`],
    ['Terraform', `AbCdEfGhIjKlMn.atlasv1.${keySuffix}`],
    ['Firecrawl', `fc-${hex}`],
    ['Pinecone', `pcsk_4a_${keySuffix}`],
    ['Supabase', `sb_secret_${keySuffix}`],
    ['Notion', `secret_${keySuffix}${keySuffix}`],
    ['Contentful', `CFPAT-${keySuffix}`],
    ['Telegram', `1234567890:AA${keySuffix.slice(0, 33)}`],
    ['Databricks', `dapi${hex}`],
    ['Groq', `gsk_${keySuffix}`],
    ['Vault', `hvs.${keySuffix}`],
    ['age', `AGE-SECRET-KEY-1${keySuffix.toUpperCase()}`],
    ['a private key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${keySuffix}\n-----END OPENSSH PRIVATE KEY-----`],
  ])('is masked: %s', (_, key) => {
    for (const mask of [redact, maskSecretForms]) {
      const maskedText = mask(`before ${key} after`)
      expect(maskedText.replaceAll('\n', '')).toBe('before [secret] after')
      expect(maskedText.split('\n')).toHaveLength(key.split('\n').length)
    }
  })

  it.each([
    [`https://hooks.slack.com/services/T000/B000/${keySuffix}`, 'https://hooks.slack.com/services/[secret]'],
    [`https://discord.com/api/webhooks/1234/${keySuffix}`, 'https://discord.com/api/webhooks/1234/[secret]'],
    [`Endpoint=sb://h/;SharedAccessKey=${keySuffix}=`, 'Endpoint=sb://h/;SharedAccessKey=[secret]'],
    ['postgres://me:pw@h/db', 'postgres://[secret]@h/db'],
    ['postgres://me:p/w?d#@h/db', 'postgres://[secret]@h/db'],
    ['postgres://me:p@w@h/db?x=a@b', 'postgres://[secret]@h/db?x=a@b'],
    ['redis://:pw@h:6379', 'redis://[secret]@h:6379'],
    ['mongodb+srv://me:p%40w@h', 'mongodb+srv://[secret]@h'],
  ])('is masked in an address: %s', (text, maskedText) => {
    for (const mask of [redact, maskSecretForms]) expect(mask(text)).toBe(maskedText)
  })

  it.each([
    ['a JSON object in base64', 'https://h/?config=eyJhcGlLZXkiOiJhYmNkZWYifQ==', 'https://h/?config=[secret]'],
    ['a variable of a command', 'sh -c "X_TOKEN=abc run"', 'sh -c "X_TOKEN=[secret] run"'],
  ])('is masked in settings: %s', (_, text, maskedText) => {
    expect(maskSecretForms(text)).toBe(maskedText)
  })

  it.each([
    'https://h:8080/@scope/name',
    'http://127.0.0.1:4860/v1 and me@example.com',
    'npm_config_user_agent',
    'xai-grok-2-vision-1212',
    'the public key pk_organization_identifier',
    'file:///srv/node_modules/@scope/name/index.js:10:3',
  ])('is not seen in %s', (text) => {
    expect(redact(text)).toBe(text)
  })
})
