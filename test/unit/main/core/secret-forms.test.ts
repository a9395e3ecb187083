import { describe, expect, it } from 'vitest'
import { redact } from '../../../../src/main/core/secret'
import { maskSecretForms } from '../../../../src/main/core/secret-forms'

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
