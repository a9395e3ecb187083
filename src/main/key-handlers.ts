import type { Handlers } from '@shared/contract'
import type { WindowParts } from './handlers'
import { createHandoutFiles } from './handout/handout-dialogs'
import { readNames } from './handout/parse-holders'
import { clearsAfterMs } from './plans/copy-key'
import { realDisk } from './tools/disk'

type Some<P extends string> = Pick<Handlers, Extract<keyof Handlers, `${P}.${string}`>>

/** The care of keys: register, audit trail and hand-out. */
export function handoutHandlers({
  core,
  copier,
  dialogs,
  clipboard,
  showPassphrase,
}: WindowParts): Some<'handouts' | 'register' | 'audit'> {
  const { handouts, register, audit } = core
  const files = createHandoutFiles({ handouts, register, dialogs, clipboard, disk: realDisk })
  return {
    'register.list': () => register.list(),
    'register.update': (change) => register.update(change),
    'register.export': () => files.exportRegister(),
    'register.previewRevoke': (id) => register.previewRevoke(id),
    'register.revoke': (id) => register.revoke(id),
    'audit.list': (page) => audit.list(page),
    'audit.verify': () => audit.verify(),
    'handouts.preview': (wish) => handouts.preview(wish),
    'handouts.create': (wish) => files.create(wish),
    'handouts.createMany': (wish) => files.createMany(wish),
    'handouts.copyPassphrase': async ({ id }) => {
      await copier.copy(handouts.passphraseOf(id))
      return { clearsAfterMs }
    },
    'handouts.showPassphrase': async ({ id }) => {
      await showPassphrase(handouts.passphraseOf(id))
      return {}
    },
    'handouts.readNames': ({ text }) => readNames(text),
    'handouts.ownRecipient': () => handouts.ownRecipient(),
    'handouts.chooseKit': () => files.chooseKit(),
    'handouts.openKit': ({ kitId, passphrase }) => files.openKit(kitId, passphrase),
    'handouts.accept': ({ kitId }) => handouts.accept(kitId),
    'handouts.acknowledge': ({ code }) => handouts.acknowledge(code),
  }
}

/** Rotations of keys. */
export function rotationHandlers({ core: { rotation } }: WindowParts): Some<'rotation'> {
  return {
    'rotation.preview': (of) => rotation.preview(of),
    'rotation.start': (wish) => rotation.start(wish),
    'rotation.startMany': (wish) => rotation.startMany(wish),
    'rotation.list': () => rotation.list(),
    'rotation.stop': (of) => rotation.stop(of),
    'rotation.resume': (of) => rotation.resume(of),
    'rotation.undo': (of) => rotation.undo(of),
    'rotation.confirmTool': (of) => rotation.confirmTool(of),
    'rotation.dismiss': (of) => {
      rotation.dismiss(of)
      return {}
    },
    'rotation.getReminders': () => rotation.reminders(),
    'rotation.setReminders': ({ days }) => rotation.setReminders({ days }),
  }
}
