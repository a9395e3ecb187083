import type { Handlers } from '@shared/contract'
import type { Core } from './core'
import { clearsAfterMs, type KeyCopier } from './features/copy-key'
import type { PendingKeys } from './features/pending-keys'
import type { Sandbox } from './features/sandbox'
import type { WindowSettings } from './features/settings'
import { readAddress } from './gateway/read-address'
import type { ClipboardPort } from './ports'

/** What the window's calls are answered with: the core that the command line has too, and what only a window needs. */
export interface WindowParts {
  readonly core: Core
  readonly pending: PendingKeys
  readonly copier: KeyCopier
  readonly sandbox: Sandbox
  readonly settings: WindowSettings
  readonly clipboard: ClipboardPort
  readonly showFile: (path: string) => void
}

/** One handler per method of the contract. */
export function createHandlers(parts: WindowParts): Handlers {
  const { core, sandbox, settings, clipboard } = parts
  return {
    'app.get': () => core.app(),
    'app.recheckVault': async () => {
      core.plans.noteKept(await core.vault.recheck())
      return core.app()
    },
    'app.copyText': async ({ text }) => {
      await clipboard.writeText(text)
      return {}
    },
    'settings.get': () => settings.get(),
    'settings.update': (patch) => settings.update(patch),
    'connections.list': () => core.connections.list(),
    'connections.save': (input) => core.connections.save(input),
    'connections.remove': ({ id }) => {
      core.connections.remove(id)
      return {}
    },
    'sandbox.get': () => sandbox.get(),
    'sandbox.open': (input) => sandbox.open(input),
    'sandbox.stop': () => sandbox.stop(),
    'sandbox.requests': (filter) => sandbox.requests(filter),
    'sandbox.simulate': ({ situation }) => sandbox.simulate(situation),
    'sandbox.world': () => sandbox.world(),
    'sandbox.moveClock': ({ step }) => sandbox.moveClock(step),
    'sandbox.setAccount': (change) => sandbox.setAccount(change),
    'sandbox.expireTokens': async () => {
      await sandbox.expireTokens()
      return {}
    },
    'sandbox.reset': () => sandbox.reset(),
    ...planHandlers(parts),
    ...toolHandlers(parts),
  }
}

type Some<P extends string> = Pick<Handlers, Extract<keyof Handlers, `${P}.${string}`>>

function planHandlers({ core: { plans, tools, check }, pending, copier }: WindowParts): Some<'plans'> {
  return {
    'plans.list': () => plans.list(),
    'plans.readAddress': ({ text }) => readAddress(text),
    'plans.takeKeyFromClipboard': () => pending.takeFromClipboard(),
    'plans.checkNew': ({ gatewayUrl, pendingId, modelCode }) =>
      check({
        url: readAddress(gatewayUrl).url,
        standard: 'chat-completions',
        key: pending.get(pendingId),
        modelCode,
      }),
    'plans.add': async ({ pendingId, ...input }) => {
      const added = await plans.add(input, pending.get(pendingId))
      pending.forget(pendingId)
      return added
    },
    'plans.check': ({ planId, modelCode }) => plans.check(planId, modelCode),
    'plans.update': ({ planId, ...input }) => plans.update(planId, input),
    'plans.replaceKey': async ({ planId, keyId, pendingId }) => {
      const secret = pending.get(pendingId)
      const plan = await plans.replaceKey(planId, keyId, secret)
      await tools.renewKeyFiles(plan.id)
      pending.forget(pendingId)
      return plan
    },
    'plans.copyKey': async ({ planId, keyId }) => {
      await copier.copy(await plans.secretOf(plans.find(planId), keyId))
      return { clearsAfterMs }
    },
    'plans.remove': async ({ planId, evenIfUsed }) => {
      await plans.remove(planId, { evenIfUsed })
      return {}
    },
  }
}

function toolHandlers({ core: { tools }, showFile }: WindowParts): Some<'tools'> {
  return {
    'tools.list': () => tools.list(),
    'tools.preview': (choice) => tools.preview(choice),
    'tools.previewRestore': ({ toolId }) => tools.previewRestore(toolId),
    'tools.apply': ({ previewId }) => tools.carryOut(previewId),
    'tools.restore': ({ previewId }) => tools.carryOut(previewId),
    'tools.verify': ({ toolId }) => tools.verify(toolId),
    'tools.showFile': ({ toolId }) => {
      showFile(tools.fileOf(toolId))
      return {}
    },
  }
}
