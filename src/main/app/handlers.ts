import { randomUUID } from 'node:crypto'
import type { CheckView, Domain, DomainHandlers, Handlers } from '@shared/contract'
import { AppError } from '@shared/failure'
import { shell } from 'electron'
import { createTestMessage } from '../compose/alert-watch'
import { type Confirm, requireConsent } from '../core/consent/consent'
import { realDisk } from '../core/files/disk'
import { createUnreadableError, readChosenFile, writeChosenFile } from '../core/files/files'
import type { Locale } from '../core/i18n'
import { describeRuntime } from '../core/launcher/launcher'
import { lazy } from '../core/lazy'
import { timeZone } from '../core/local-time'
import { parseExternalUrl, readAddress } from '../core/net/address'
import type { ClipboardPort, FileDialogs } from '../core/ports'
import type { Secret } from '../core/secret'
import type { TeamAddress } from '../core/settings/records'
import type { WindowSettings } from '../core/settings/window-settings'
import { createHandoutFiles } from '../keys/handout/handouts'
import { readNames } from '../keys/handout/holder-key'
import { type ConnectionFiles, createConnectionFiles } from '../plans/connections/connection-record'
import type { KeyCopier, PendingKeys } from '../plans/key-clipboard'
import type { Invitation } from '../team/address'
import { createProfileFiles } from '../tools/profiles/profile-file'
import { createUsageFiles, readPng } from '../usage/export-text'
import type { Alerts } from '../usage/quota/alerts'
import { toWebhookOrigin } from '../usage/quota/webhook'
import { bind, createRunningCalls, type LoadHandlers, type RunningCalls } from './bridge'
import type { AppCore } from './compose-app'
import type { Sandbox } from './sandbox'
import { findTerminal, openTerminal } from './terminal'
import type { Updates } from './updates'

/** Dependencies of the window's calls: the core that the command line shares, and window features. */
interface WindowHandlerDeps {
  readonly core: AppCore
  readonly pending: PendingKeys
  readonly copier: KeyCopier
  readonly sandbox: Sandbox
  readonly alerts: Alerts
  /** The window's language, for texts that leave the app. */
  readonly locale: () => Locale
  /** Checks for alerts, and sends them to the webhook, in the background. */
  readonly checkAlerts: () => void
  readonly updates: Updates
  readonly settings: WindowSettings
  readonly clipboard: ClipboardPort
  readonly copyImage: (png: Buffer) => Promise<void>
  /** Asks for consent in a native dialog, which the page cannot control. */
  readonly confirm: Confirm
  readonly dialogs: FileDialogs
  /** Asks whether to open the key file that the system opened with the app. Undefined if not. */
  readonly confirmOpenedKit: () => Promise<string | undefined>
  /** Shows a passphrase in a native dialog, so that the page never receives it. */
  readonly showPassphrase: (passphrase: Secret) => Promise<void>
  readonly printPassphrases: (passphrases: Secret) => Promise<'printed' | 'cancelled' | 'failed'>
}

/** One handler per contract method. Loads some domains on first use. */
export function createHandlers(parts: WindowHandlerDeps): LoadHandlers {
  const calls = createRunningCalls()
  const { core, sandbox, settings, clipboard, confirm, dialogs } = parts
  const { connections, plans, profiles, quota, usage } = core
  const owners = () => [...connections.list(), ...plans.list()]
  const files = createConnectionFiles({ connections, owners, confirm, dialogs, disk: realDisk })
  const profileFiles = createProfileFiles({ profiles, dialogs, disk: realDisk })
  const usageFiles = createUsageFiles({ usage, dialogs, disk: realDisk, clock: () => new Date(), zone: timeZone })
  const eagerHandlers: Omit<Handlers, keyof DomainHandlers<LazyDomain>> = {
    'app.get': () => core.app(),
    'app.about': async () => describeRuntime(process),
    'app.recheckVault': async () => {
      await core.vault.recheck()
      await core.relay.forgetKeys()
      return core.app()
    },
    'app.copyText': ({ text }) => clipboard.writeText(text),
    'app.openLink': async ({ url }) => {
      const link = parseExternalUrl(url)
      await requireConsent(confirm, { kind: 'openLink', url: link })
      await shell.openExternal(link)
    },
    ...bind('settings', settings),
    ...accountHandlers(parts),
    ...connectionHandlers(parts, { calls, files }),
    ...handoutHandlers(parts, calls),
    'operations.list': () => core.operations.list(),
    'operations.dismiss': async ({ id }) => core.operations.dismiss(id),
    'operations.follow': async ({ id }) => core.operations.retry(id),
    ...planHandlers(parts, files),
    ...bind('profiles', profiles),
    'profiles.saveCurrent': ({ name, toolIds }) => profiles.saveCurrent(name, toolIds),
    'profiles.remove': async ({ id }) => profiles.remove(id),
    'profiles.previewUse': ({ id }) => profiles.previewUse(id),
    'profiles.export': ({ id }) => profileFiles.export(id),
    'profiles.readFile': () => profileFiles.read(),
    ...quotaHandlers(parts),
    ...bind('rotation', core.rotation),
    'rotation.schedules': () => core.rotation.schedules.list(),
    'rotation.dismiss': async (ref) => core.rotation.dismiss(ref),
    ...relayHandlers(parts),
    ...bind('sandbox', sandbox),
    'sandbox.world': async () => sandbox.control().world(),
    async 'sandbox.moveClock'({ step }) {
      return sandbox
        .control()
        .moveClock(step)
        .finally(() => quota.forget())
    },
    'sandbox.setAccount': async (change) => sandbox.control().setAccount(change),
    'sandbox.expireTokens': async () => sandbox.control().expireTokens(),
    'sandbox.reset': () => sandbox.reset().finally(() => quota.forget()),
    ...teamHandlers(parts),
    ...toolHandlers(parts),
    ...bind('updates', parts.updates),
    ...bind('usage', usage),
    ...bind('usage', usageFiles),
    'usage.copyPicture': ({ pngBase64 }) => parts.copyImage(readPng(pngBase64)),
  }
  const lazyHandlers: { readonly [D in LazyDomain]: () => Promise<DomainHandlers<D>> } = {
    containers: lazy(async () => (await import('./resource-handlers')).containerHandlers({ ...parts, calls })),
    mcp: lazy(async () => (await import('./mcp-handlers')).mcpHandlers({ ...parts, calls })),
    playground: lazy(async () => {
      const { playgroundHandlers } = await import('./playground-handlers')
      return playgroundHandlers({ ...parts, playground: await core.playground.load(), calls })
    }),
    resources: lazy(async () => (await import('./resource-handlers')).resourceHandlers({ ...parts, calls })),
  }
  const loaders: Readonly<Partial<Record<Domain, () => Promise<Partial<Handlers>>>>> = lazyHandlers
  return async (domain) => loaders[domain]?.() ?? eagerHandlers
}

type LazyDomain = 'containers' | 'mcp' | 'playground' | 'resources'

function accountHandlers({
  core: { account, audit, plans },
  copier,
  confirm,
}: WindowHandlerDeps): DomainHandlers<'account'> {
  return {
    ...bind('account', account),
    'account.setAutoRenew': (request) =>
      account.setAutoRenew(request, ({ planName: plan, ...quote }) =>
        requireConsent(confirm, { kind: 'spendCredits', plan, ...quote }),
      ),
    'account.copyKey': async (keyRef) => {
      const result = await copier.copy(await account.readSecret(keyRef))
      const plan = plans.directory.localPlan(keyRef)
      const key = plan?.keys.find(({ origin }) => origin?.keyId === keyRef.keyId)
      await audit.note({ what: 'keyCopied', planName: plan?.name ?? keyRef.planId, keyName: key?.name ?? keyRef.keyId })
      return result
    },
  }
}

function connectionHandlers(
  { core, pending }: WindowHandlerDeps,
  { calls, files }: { readonly calls: RunningCalls; readonly files: ConnectionFiles },
): DomainHandlers<'connections' | 'calls' | 'doctor'> {
  const { connections, tools } = core
  return {
    'connections.list': () => connections.list(),
    'connections.takeSecretFromClipboard': ({ kind }) =>
      pending.takeFromClipboard({ isExact: kind === 'client-credentials' }),
    'connections.save': async ({ pendingId, ...input }) => {
      await files.requireTrusted(input)
      if (pendingId === undefined) return connections.save(input)
      return pending.use(pendingId, (secret) => connections.save(input, secret))
    },
    'connections.use': async ({ id }) => connections.use(id),
    'connections.test': ({ id, part, callId }) => calls.run(callId, (signal) => connections.test(id, part, { signal })),
    'connections.readFile': () => files.read(),
    'connections.writeFile': ({ id }) => files.write(id),
    'connections.chooseCaFile': () => files.chooseCertificates(),
    'connections.remove': ({ id }) => connections.remove(id),
    'doctor.run': ({ callId, ...question }) => calls.run(callId, (signal) => tools.diagnose({ ...question, signal })),
    'calls.cancel': async ({ callId }) => calls.cancel(callId),
  }
}

function planHandlers({ core, pending, copier }: WindowHandlerDeps, files: ConnectionFiles): DomainHandlers<'plans'> {
  const { plans, tools, check, audit, register } = core
  /** Result of the last test of a new key. It is stored when the key is saved with its plan. */
  let lastCheck: { readonly pendingId: string; readonly url: string; readonly result: CheckView } | undefined
  return {
    'plans.list': () => plans.list(),
    'plans.readAddress': ({ text }) => readAddress(text),
    'plans.takeKeyFromClipboard': () => pending.takeFromClipboard(),
    'plans.checkNew': async ({ gatewayUrl, pendingId, modelCode, caFile }) => {
      await files.requireTrusted({ name: gatewayUrl, caFile })
      const { url } = readAddress(gatewayUrl)
      const result = await check({ url, standard: 'chat-completions', key: pending.get(pendingId), modelCode, caFile })
      lastCheck = { pendingId, url, result }
      return result
    },
    'plans.add': async ({ pendingId, ...input }) => {
      await files.requireTrusted(input)
      const isTested = lastCheck?.pendingId === pendingId && lastCheck.url === readAddress(input.gatewayUrl).url
      const checkResult = isTested ? lastCheck?.result : undefined
      const addedPlan = await pending.use(pendingId, (secret) => plans.add(input, secret, undefined, checkResult))
      await audit.note({ what: 'keySaved', planName: addedPlan.name, keyName: addedPlan.keys[0]?.name })
      return addedPlan
    },
    'plans.check': ({ planId, modelCode }) => plans.check(planId, modelCode),
    'plans.update': async ({ planId, ...input }) => {
      await files.requireTrusted({ ...input, id: planId })
      return plans.change(planId, input)
    },
    'plans.replaceKey': async ({ planId, keyId, pendingId }) => {
      const plan = await pending.use(pendingId, async (secret) => {
        const savedPlan = await plans.replaceKey(planId, keyId, secret)
        await tools.renewKeyFiles(savedPlan.id)
        return savedPlan
      })
      const keyName = plan.keys.find(({ id }) => id === keyId)?.name
      await audit.note({ what: 'keyReplaced', planName: plan.name, keyName })
      return plan
    },
    'plans.copyKey': async ({ planId, keyId }) => {
      const plan = plans.find(planId)
      const result = await copier.copy(await plans.readSecret(plan, keyId))
      register.noteUsed({ planId: plan.id, keyId })
      const keyName = plan.keys.find(({ id }) => id === keyId)?.name
      await audit.note({ what: 'keyCopied', planName: plan.name, keyName })
      return result
    },
    'plans.remove': ({ planId, evenIfUsed }) => plans.remove(planId, { evenIfUsed }),
  }
}

function toolHandlers({ core: { tools, projects }, dialogs, confirm }: WindowHandlerDeps): DomainHandlers<'tools'> {
  return {
    ...bind('tools', tools),
    'tools.list': () => tools.list(),
    'tools.previewMany': ({ choices }) => tools.previewMany(choices),
    'tools.previewRewind': ({ entryId }) => tools.previewRewind(entryId),
    'tools.apply': ({ previewId }) => tools.carryOut(previewId),
    'tools.restore': ({ previewId }) => tools.carryOut(previewId),
    'tools.applyMany': ({ previewId }) => tools.carryOutMany(previewId),
    'tools.history': ({ toolId }) => tools.history(toolId),
    'tools.recovery': () => tools.tellRecovery(),
    'tools.showFile': async ({ path, ...at }) => shell.showItemInFolder(await tools.fileToShow(at, path)),
    'tools.terminal': async () => ({ isThere: (await findTerminal(process.platform)) !== undefined }),
    'tools.openTerminal': async (at) => openTerminal(await tools.findFolder(at), confirm),
    'tools.chooseProject': async () => {
      const folder = await dialogs.chooseFolder()
      if (folder === undefined) return {}
      projects.allow(folder)
      return { folder }
    },
    'tools.distributions': async () => [...(await tools.distributions())],
  }
}

function handoutHandlers(
  parts: WindowHandlerDeps,
  calls: RunningCalls,
): DomainHandlers<'handouts' | 'register' | 'audit'> {
  const { core, copier, showPassphrase, printPassphrases } = parts
  const { handouts, register, audit } = core
  const doneCounts = new Map<string, number>()
  const files = createHandoutFiles({ ...parts, handouts, register, audit, disk: realDisk })
  return {
    ...bind('register', register),
    'register.export': () => files.exportRegister(),
    ...bind('audit', audit),
    'audit.export': (filter) => files.exportAudit(filter),
    ...bind('handouts', handouts.imported),
    ...bind('handouts', handouts),
    ...bind('handouts', files),
    async 'handouts.createMany'({ callId, ...request }) {
      if (callId === undefined) return files.createMany(request)
      const onProgress = (done: number): void => void doneCounts.set(callId, done)
      try {
        return await calls.run(callId, (signal) => files.createMany(request, { signal, onProgress }))
      } finally {
        doneCounts.delete(callId)
      }
    },
    'handouts.progress': async ({ callId }) => {
      const done = doneCounts.get(callId)
      return done === undefined ? {} : { done }
    },
    'handouts.copyPassphrases': ({ ids }) => copier.copy(handouts.passphraseList(ids)),
    'handouts.showPassphrases': ({ ids }) => showPassphrase(handouts.passphraseList(ids)),
    'handouts.printPassphrases': async ({ ids }) => ({ outcome: await printPassphrases(handouts.passphraseList(ids)) }),
    'handouts.readNames': ({ text }) => readNames(text),
    'handouts.accept': ({ kitId }) => handouts.accept(kitId),
    'handouts.imported': () => handouts.imported.list(),
    'handouts.markCodeSent': async (key) => handouts.imported.markCodeSent(key),
    'handouts.acknowledge': ({ code }) => handouts.acknowledge(code),
  }
}

function relayHandlers({
  core: { relay, metrics },
  copier,
  pending,
}: WindowHandlerDeps): DomainHandlers<'relay' | 'metrics'> {
  return {
    ...bind('relay', relay),
    ...bind('metrics', metrics),
    'metrics.copyToken': async () => copier.copy(await metrics.token()),
    'metrics.takeSecret': () => pending.takeFromClipboard({ isExact: true }),
    'metrics.setOtlp': ({ pendingId, ...input }) =>
      pendingId === undefined
        ? metrics.setOtlp(input)
        : pending.use(pendingId, (secret) => metrics.setOtlp(input, secret)),
  }
}

function quotaHandlers({
  core: { quota, budgets, webhook },
  alerts,
  pending,
  locale,
  checkAlerts,
}: WindowHandlerDeps): DomainHandlers<'quota' | 'alerts' | 'budgets'> {
  return {
    ...bind('budgets', budgets),
    'budgets.remove': async ({ id }) => budgets.remove(id),
    ...bind('quota', quota),
    'quota.setAllowances': async (input) => quota.setAllowances(input),
    ...bind('alerts', alerts),
    'alerts.webhook': () => webhook.get(),
    'alerts.takeWebhookSecret': async ({ part }) => {
      const taken = await pending.takeFromClipboard({ isExact: true })
      if (part === 'token') return taken
      return { ...taken, masked: toWebhookOrigin(pending.get(taken.pendingId)) }
    },
    'alerts.setWebhook': async ({ addressId, tokenId, ...input }) => {
      const toSecret = (id: string | undefined) => (id === undefined ? undefined : pending.get(id))
      const view = await webhook.set(input, { address: toSecret(addressId), token: toSecret(tokenId) })
      for (const id of [addressId, tokenId]) if (id !== undefined) pending.forget(id)
      checkAlerts()
      return view
    },
    'alerts.removeWebhook': () => webhook.remove(),
    'alerts.testWebhook': () => webhook.test(createTestMessage(locale())),
  }
}

/** Selected secrets stay in the main process. The user confirms before a database password is sent to a server. */
function teamHandlers({ core, confirm, pending, dialogs }: WindowHandlerDeps): DomainHandlers<'team'> {
  const invitations = new Map<string, Invitation>()
  const certificates = new Map<string, string>()
  const loadAddressModule = () => import('../team/address')
  const readFingerprint = async (ca: string | undefined): Promise<{ fingerprint?: string }> => {
    const fingerprint = (await loadAddressModule()).computeFingerprint(ca)
    return fingerprint === undefined ? {} : { fingerprint }
  }
  const requireDestination = async (space: string, { host, port, user, ca }: TeamAddress): Promise<void> => {
    const fingerprint = await readFingerprint(ca)
    await requireConsent(confirm, { kind: 'joinTeam', space, user, address: `${host}:${port}`, ...fingerprint })
  }
  return {
    // Load the team module only for members of a team.
    'team.get': async () => (core.settings.read().team ? (await core.loadTeam()).get() : { state: 'none' }),
    'team.chooseInvitation': async () => {
      const path = await dialogs.open('json')
      if (path === undefined) return {}
      const { readInvitation, formatAddress } = await loadAddressModule()
      const invitation = readInvitation(await readText(path))
      const invitationId = randomUUID()
      invitations.set(invitationId, invitation)
      const { spaceName, person: personName, ca } = invitation
      const view = { invitationId, spaceName, personName, address: formatAddress(invitation) }
      return { invitation: { ...view, ...(await readFingerprint(ca)) } }
    },
    'team.chooseCertificates': async () => {
      const path = await dialogs.open('certificates')
      if (path === undefined) return {}
      const { readCertificates, computeFingerprint } = await loadAddressModule()
      const text = readCertificates(await readText(path))
      const certificatesId = randomUUID()
      certificates.set(certificatesId, text)
      return { certificatesId, fingerprint: computeFingerprint(text) }
    },
    'team.create': async ({ spaceName, personName, address: text, pendingId, certificatesId }) => {
      const { readTeamAddress } = await loadAddressModule()
      const address = readTeamAddress(text, certificates.get(certificatesId ?? ''))
      await requireDestination(spaceName, address)
      const team = await core.loadTeam()
      return pending.use(pendingId, (secret) => team.create({ spaceName, personName, address }, secret))
    },
    'team.join': async ({ invitationId, pendingId }) => {
      const invitation = invitations.get(invitationId)
      if (invitation === undefined) {
        const message = 'The invitation is no longer open. Choose its file again.'
        throw new AppError('team.badInvitation', message)
      }
      await requireDestination(invitation.spaceName, invitation)
      const team = await core.loadTeam()
      return pending.use(pendingId, (secret) => team.join(invitation, secret))
    },
    'team.changePassword': async ({ pendingId }) => {
      const { team: record } = core.settings.read()
      if (record) await requireDestination(record.spaceName, record.address)
      const team = await core.loadTeam()
      return pending.use(pendingId, (secret) => team.changeSignIn(secret))
    },
    'team.leave': async () => (await core.loadTeam()).leave(),
    'team.delete': async () => (await core.loadTeam()).delete(),
    'team.upgrade': async () => (await core.loadTeam()).upgrade(),
    'team.invite': async (request) => {
      const path = await dialogs.save(`${request.personName}.json`, 'json')
      if (path === undefined) return {}
      const { invitationText } = await loadAddressModule()
      const text = invitationText(await (await core.loadTeam()).invite(request))
      return writeChosenFile(path, text, realDisk)
    },
    'team.remove': async ({ personId }) => (await core.loadTeam()).remove(personId),
    'team.sync': async () => (await core.loadTeam()).sync({ switchesKeys: true }),
    'team.resolve': async ({ id, keep }) => (await core.loadTeam()).resolve(id, keep),
    'team.takeOver': async ({ id }) => {
      const { lease } = await (await core.loadTeam()).open()
      return core.rotation.takeOver(await lease.findRotation(id))
    },
  }
}

/** Maximum size in bytes of an invitation or certificate file. Real files are much smaller. */
const maxFileBytes = 1_000_000

const readText = async (path: string): Promise<string> =>
  String(await readChosenFile(path, maxFileBytes, () => createUnreadableError(path, 'it is too large')))
