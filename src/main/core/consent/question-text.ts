import { escapeHiddenCharacters } from '@shared/hidden-characters'
import { type Locale, translator } from '../i18n'
import type { ConsentQuestion, Destination } from './consent'

interface QuestionText {
  readonly message: string
  readonly detail: string
  /** Label of the consent button. The other one is `cancel`. */
  readonly agree: string
  readonly cancel: string
}

/** A command line with arguments quoted where needed. */
export const commandLine = (command: readonly string[]): string =>
  command
    .map((argument) =>
      /^[\w@%+=:,./-]+$/.test(argument) ? argument : escapeHiddenCharacters(JSON.stringify(argument)),
    )
    .join(' ')

export function questionText(question: ConsentQuestion, locale: Locale): QuestionText {
  const t = translator(locale)
  const { name, detail = 'detail', values } = describe(question, locale)
  const text = (keySuffix: string): string => t(`consent.${name}.${keySuffix}` as Parameters<typeof t>[0], values)
  return { message: text('message'), detail: text(detail), agree: text('agree'), cancel: t('cancel') }
}

/** Maximum characters of a tool call's arguments in a dialog. */
const maxShownInput = 2000

interface Description {
  readonly name: string
  readonly detail?: string
  readonly values?: Readonly<Record<string, string | number>>
}

function describe(question: ConsentQuestion, locale: Locale): Description {
  const t = translator(locale)
  switch (question.kind) {
    case 'sendElsewhere': {
      const { holder, name, destinations } = question
      const values = {
        name: escapeHiddenCharacters(name),
        count: destinations.length,
        destinations: listDestinations(destinations, locale),
      }
      return { name: holder === 'plan' ? 'sendPlanKey' : 'sendSignIn', values }
    }
    case 'runCommand': {
      const hosts = question.hosts.length > 0 ? question.hosts.join('\n') : t('consent.runCommand.noHosts')
      const values = {
        connection: escapeHiddenCharacters(question.connection),
        command: commandLine(question.command),
        hosts,
      }
      return { name: question.kind, values }
    }
    case 'reuseCopiedSecret':
      return { name: question.kind, values: { masked: question.masked } }
    case 'trustCertificates':
      return {
        name: question.kind,
        values: {
          connection: escapeHiddenCharacters(question.connection),
          path: escapeHiddenCharacters(question.path),
        },
      }
    case 'useFolder':
      return { name: question.kind, values: { folder: escapeHiddenCharacters(question.folder) } }
    case 'openKeyFile':
      return { name: question.kind, values: { path: escapeHiddenCharacters(question.path) } }
    case 'allowMcp': {
      const name = question.permission === 'ask_model' ? 'askModel' : 'writeMemory'
      return { name, values: { tool: escapeHiddenCharacters(question.tool) } }
    }
    case 'recordMcp':
      return { name: question.kind }
    case 'copyMcp': {
      const { tools, server, runs, values, files } = question
      const detail = values.length === 0 ? 'detail' : files.length > 0 ? 'detailFiles' : 'detailKeychain'
      const [names, secrets] = [
        tools.map(escapeHiddenCharacters).join(', '),
        values.map(escapeHiddenCharacters).join(', '),
      ]
      const texts = {
        server: escapeHiddenCharacters(server),
        runs: escapeHiddenCharacters(runs),
        files: files.map(escapeHiddenCharacters).join('\n'),
      }
      return { name: question.kind, detail, values: { ...texts, tools: names, values: secrets } }
    }
    case 'startMcp': {
      const { server, runs, values, isProgram } = question
      return {
        name: isProgram ? 'startMcp' : 'connectMcp',
        detail: values.length === 0 ? 'detail' : 'detailValues',
        values: {
          server: escapeHiddenCharacters(server),
          runs: escapeHiddenCharacters(runs),
          values: values.map(escapeHiddenCharacters).join(', '),
        },
      }
    }
    case 'callMcp': {
      const { server, runs, tool, input } = question
      const shownInput = input.length > maxShownInput ? `${input.slice(0, maxShownInput)}…` : input
      return {
        name: question.kind,
        values: {
          server: escapeHiddenCharacters(server),
          runs: escapeHiddenCharacters(runs),
          tool: escapeHiddenCharacters(tool),
          input: escapeHiddenCharacters(shownInput),
        },
      }
    }
    case 'sendMetrics': {
      const contentText = t(question.sendsSpans ? 'consent.sendMetrics.spans' : 'consent.sendMetrics.sums')
      const detail = question.isSigned ? 'detailSigned' : 'detail'
      return {
        name: question.kind,
        detail,
        values: { endpoint: escapeHiddenCharacters(question.endpoint), what: contentText },
      }
    }
    case 'sendAlerts': {
      const { origin, format, isSigned } = question
      const values = { origin, format: t(`consent.sendAlerts.formats.${format}`) }
      return { name: question.kind, detail: isSigned ? 'detailSigned' : 'detail', values }
    }
    case 'joinTeam': {
      const { user, address, space, fingerprint = '' } = question
      const detail = fingerprint === '' ? 'detail' : 'detailTrusted'
      const values = {
        user: escapeHiddenCharacters(user),
        address: escapeHiddenCharacters(address),
        space: escapeHiddenCharacters(space),
        fingerprint,
      }
      return { name: question.kind, detail, values }
    }
    case 'spendCredits': {
      const { plan, amount, credits } = question
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency: 'VND' })
      const balances = { credits: format.format(credits), after: format.format(credits - amount) }
      const values = { plan: escapeHiddenCharacters(plan), amount: format.format(amount), ...balances }
      return { name: question.kind, detail: credits < amount ? 'detailShort' : 'detail', values }
    }
    case 'openLink': {
      const url = new URL(question.url)
      const name = url.protocol === 'mailto:' ? 'writeEmail' : 'openLink'
      return { name, values: { host: url.host, url: escapeHiddenCharacters(question.url) } }
    }
    case 'openTerminal':
      return {
        name: question.kind,
        values: { program: escapeHiddenCharacters(question.program), folder: escapeHiddenCharacters(question.folder) },
      }
  }
}

function listDestinations(destinations: readonly Destination[], locale: Locale): string {
  const t = translator(locale)
  return destinations
    .map(({ field, from, to }) => {
      const previousText = escapeHiddenCharacters(from ?? t('consent.destinations.none'))
      const lines = [
        `${t('consent.destinations.now')}: ${previousText}`,
        `${t('consent.destinations.new')}: ${escapeHiddenCharacters(to)}`,
      ]
      return [t(`consent.fields.${field}`), ...lines].join('\n')
    })
    .join('\n\n')
}
