import { escapeHiddenCharacters } from '@shared/hidden-characters'
import { type Locale, translator } from '../i18n'
import { type ConsentQuestion, commandLine } from './consent'

/** Texts of a dialog. `agree` and `cancel` label its buttons. */
export function questionText(question: ConsentQuestion, locale: Locale) {
  const t = translator(locale)
  const { name = question.kind, detail = 'detail', values } = describe(question, locale)
  // Fields of the question without invisible characters. Lists are joined with commas.
  const fields = Object.entries(question).map(([field, value]) => [
    field,
    (Array.isArray(value) ? value : [value]).map((item) => escapeHiddenCharacters(String(item))).join(', '),
  ])
  const allValues = { ...Object.fromEntries(fields), ...values }
  const text = (keySuffix: string): string => t(`consent.${name}.${keySuffix}` as Parameters<typeof t>[0], allValues)
  return { message: text('message'), detail: text(detail), agree: text('agree'), cancel: t('cancel') }
}

/** Maximum characters of a tool call's arguments in a dialog. */
const maxShownInput = 2000

/** Parts that differ from the defaults: the kind of the question, the text `detail`, and the fields of the question. */
interface Description {
  readonly name?: string
  readonly detail?: string
  readonly values?: Readonly<Record<string, string | number>>
}

function describe(question: ConsentQuestion, locale: Locale): Description {
  const t = translator(locale)
  switch (question.kind) {
    case 'sendElsewhere': {
      const { holder, destinations } = question
      const texts = destinations.map(({ field, from, to }) =>
        [
          t(`consent.fields.${field}`),
          `${t('consent.destinations.now')}: ${escapeHiddenCharacters(from ?? t('consent.destinations.none'))}`,
          `${t('consent.destinations.new')}: ${escapeHiddenCharacters(to)}`,
        ].join('\n'),
      )
      const values = { count: destinations.length, destinations: texts.join('\n\n') }
      return { name: holder === 'plan' ? 'sendPlanKey' : 'sendSignIn', values }
    }
    case 'runCommand': {
      const hosts = question.hosts.join('\n') || t('consent.runCommand.noHosts')
      return { values: { command: commandLine(question.command), hosts } }
    }
    case 'allowMcp':
      return { name: question.permission === 'ask_model' ? 'askModel' : 'writeMemory' }
    case 'copyMcp': {
      const { values, files } = question
      const detail = values.length === 0 ? 'detail' : files.length > 0 ? 'detailFiles' : 'detailKeychain'
      return { detail, values: { files: files.map(escapeHiddenCharacters).join('\n') } }
    }
    case 'startMcp': {
      const detail = question.values.length === 0 ? 'detail' : 'detailValues'
      return { name: question.isProgram ? 'startMcp' : 'connectMcp', detail }
    }
    case 'callMcp': {
      const { input } = question
      const shownInput = input.length > maxShownInput ? `${input.slice(0, maxShownInput)}…` : input
      return { values: { input: escapeHiddenCharacters(shownInput) } }
    }
    case 'sendMetrics': {
      const contentText = t(question.sendsSpans ? 'consent.sendMetrics.spans' : 'consent.sendMetrics.sums')
      return { detail: question.isSigned ? 'detailSigned' : 'detail', values: { what: contentText } }
    }
    case 'sendAlerts': {
      const values = { format: t(`consent.sendAlerts.formats.${question.format}`) }
      return { detail: question.isSigned ? 'detailSigned' : 'detail', values }
    }
    case 'joinTeam':
      return { detail: question.fingerprint ? 'detailTrusted' : 'detail' }
    case 'spendCredits': {
      const { amount, credits } = question
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency: 'VND' })
      const balances = { credits: format.format(credits), after: format.format(credits - amount) }
      const values = { amount: format.format(amount), ...balances }
      return { detail: credits < amount ? 'detailShort' : 'detail', values }
    }
    case 'openLink': {
      const { protocol, host } = new URL(question.url)
      return { name: protocol === 'mailto:' ? 'writeEmail' : 'openLink', values: { host } }
    }
    default:
      return {}
  }
}
