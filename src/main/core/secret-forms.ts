import { isSecretHeader, isSecretSetting } from './secret-names'

/** Detects secrets in any text. All logs, messages, previews and copies use these patterns. */

export const MASKED = '[secret]'

/** Patterns that match only keys and passwords. The text of the first capture group stays visible. */
const keyPatterns: readonly RegExp[] = [
  /()-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  /()\bsk[-_][\w-]{13,}/gi,
  /()\b[pr]k_(?:live|test)_\w{8,}/g,
  // Token of a coding tool for the local relay.
  /()\brelay-[\w-]{40,}/g,
  // JSON Web Tokens.
  /()(?<![\w-])eyJ[\w-]{8,}\.[\w.-]+/g,
  // Tokens of GitHub, GitLab, Slack, AWS, Google, Docker, PyPI, DigitalOcean, Shopify, PlanetScale, Vault, Doppler,
  // Linear and others.
  /()\b(?:gh[opusr]_|github_pat_|gl(?:pat|dt|rt|ptt|ft|soat|cbt|imt|agent|oas)-|xox[a-z]-|xapp-|A[KS]IA|AIza|ya29\.|GOCSPX-|dckr_[po]at_|pypi-AgE|do[por]_v1_|shp(?:at|ca|pa|ss)_|pscale_(?:tkn|pw|oauth)_|hv[sb]\.|dp\.[a-z]{2}\.|lin_(?:api|oauth)_|ntn_|figd_|whsec_|sntry[su]_|gl(?:sa|c)_|PMAK-|NRAK-|ATATT3|CFPAT-|HRKU-|ctx7sk-|sq0[a-z]{3}-|sb_secret_|pcsk_|fm[12]_|AGE-SECRET-KEY-1)[\w-]{8,}/g,
  /()\b(?:npm|hf|fw|r8|gsk|sbp|nfp|bkua|rubygems)_[A-Za-z0-9]{14,}/g,
  /()\bsecret_[A-Za-z0-9]{40,}/g,
  /()\b(?:(?:xai|pplx|nvapi)-|tvly-(?:dev-|prod-)?)[A-Za-z0-9]{20,}/g,
  // Tokens of SendGrid, Telegram, Discord, Airtable, Terraform, Databricks, Twilio, Firecrawl and Azure's client
  // secrets.
  /()\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /()\b\d{8,10}:AA[\w-]{33}/g,
  /()\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}/g,
  /()\bpat\w{14}\.[0-9a-f]{64}\b/g,
  /()\b\w{14}\.atlasv1\.[\w-]{30,}/g,
  /()\b(?:dapi|SK|fc-)[0-9a-f]{32}\b/g,
  /()(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34}/g,
  /((?:account|sharedaccess|access|secret)key=)[\w+/%-]{16,}={0,2}/gi,
  // Addresses that contain a secret, such as webhooks.
  /(\bhooks\.slack\.com\/\w{1,20}\/)[\w/]+/g,
  /(\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/)[\w-]+/g,
  // Password in a URL. It may contain any character, even a slash or an at sign.
  /([a-z][a-z\d+.-]{0,20}:\/\/)[^\s"'/@?#:]{0,200}:(?!\d+[/?#])[^\s"'@]{1,200}(?=@)(?:@[^\s"'/?#@]{0,200}(?=@))*/gi,
]

/** Patterns that are applied only to settings, because ordinary text can match them too. */
const settingPatterns: readonly RegExp[] = [
  // A JSON object in base64.
  /()(?<![\w-])eyJ[\w+/-]{16,}={0,2}/g,
  /\b((?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi,
  /()\b[spr]k[-_][\w-]{6,}/g,
  /([a-z][a-z\d+.-]{0,20}:\/\/)[^\s"'/@?#]+(?=@)/gi,
  /([?&][\w-]{0,64}(?:key|pat|pwd|auth|jwt|sig|signature|credential|code)=)(?!\{|\$|\[secret\])[^\s"'&#]+/gi,
  /((?:--?|[?&"']|\b)[\w-]{0,64}(?:(?:api|access|secret|private|account|auth|_)[-_]?key|token|secret|passw(?:or)?d|passphrase|pwd|_pass|_pat|authorization|cookie)["']?\s*[=:]\s*["']?)(?!\{|\$|\[secret\]|(?:bearer|basic)\s)[^\s"',;&}\]]+/gi,
]

/** Quick check: a settings value that does not match cannot contain a secret. */
const possibleSecretPattern = /[-_=:@~.\s]|\w{12}/

/** Masks keys and passwords in any text. Keeps the number of lines. */
export const maskKeys = (text: string): string => maskMatches(text, keyPatterns)

/** Masks secret-like parts of a text of settings. Keeps the number of lines. */
export const maskSecretForms = (text: string): string =>
  possibleSecretPattern.test(text) ? maskMatches(maskKeys(text), settingPatterns) : text

function maskMatches(text: string, forms: readonly RegExp[]): string {
  const mask = (match: string, keptPrefix: string): string =>
    keptPrefix + MASKED + '\n'.repeat(match.split('\n').length - 1)
  return forms.reduce((maskedText, form) => maskedText.replace(form, mask), text)
}

/** Whether a text is a secret, by a name in it (`token=…`), by the preceding option, or by randomness. */
export function isSecretArgument(text: string, option = ''): boolean {
  if (!/[:=]|[A-Za-z\d]{20}/.test(text)) return false
  const [, name = '', value = ''] = /^-{0,2}([\w.-]{1,64})\s*[:=]\s*(.*)$/s.exec(text) ?? []
  return (
    ((isSecretSetting(name) || isSecretHeader(name)) && !isCredentialPrefix(value)) ||
    (/^(?:-u|--(?:proxy-)?user)$/.test(option) && /^[^:]+:./.test(text)) ||
    signInPattern.test(text) ||
    isRandom(text)
  )
}

/** Whether a text is empty or only the scheme of a credential, such as `Bearer `. */
export const isCredentialPrefix = (text: string): boolean => /^(?:[\w-]{1,10} +)?$/.test(text)

/** `user:password@host` without a protocol. Packages (`npm:name@1.0`) and container images (`name:tag@sha256:...`) look similar. */
const signInPattern = /^(?!(?:npm|jsr|mailto):|\w+:\/\/)[\w.+%-]{1,64}:[^\s@]{1,100}@(?!sha256:)[\w.-]+(?:[:/?(]|$)/

/** Whether a text is long and random, or is an address with such a part in its path. */
const isRandom = (text: string): boolean =>
  (text.includes('://') ? text.split(/[/?&=#]/) : [text]).some(
    (segment) =>
      /^(?=.*[A-Za-z])[\w+%-]{24,}={0,2}$/.test(segment) &&
      /[A-Za-z\d]{20}/.test(segment) &&
      (segment.match(/\d/g)?.length ?? 0) >= 5,
  )
