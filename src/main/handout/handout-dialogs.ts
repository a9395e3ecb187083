import { randomUUID } from 'node:crypto'
import type {
  HandoutResult,
  HandoutWish,
  Holder,
  KitContent,
  KitLock,
  MethodInput,
  MethodOutput,
} from '@shared/contract'
import type { ClipboardPort } from '../ports'
import type { Disk } from '../tools/disk'
import { Content, resolveLinks, writeFile } from '../tools/files'
import { kitFileName } from './kit-file'

/** Asks a person for a path; undefined when none was chosen. */
export interface HandoutDialogs {
  saveKit(suggestedName: string): Promise<string | undefined>
  openKit(): Promise<string | undefined>
  chooseFolder(): Promise<string | undefined>
  saveRegister(suggestedName: string): Promise<string | undefined>
}

/** Keys that are here, each for its holder. */
type KeysWish = MethodInput<'handouts.createForKeys'>

/** Many holders at once. */
interface ManyHolders {
  readonly planId: string
  readonly holders: readonly Holder[]
  readonly toolIds: string[]
  readonly lock: KitLock
}

/** What of the hand-outs and of the register is needed here. */
interface HandoutParts {
  readonly handouts: {
    create(wish: HandoutWish, path: string): Promise<HandoutResult>
    createMany(wish: ManyHolders, folder: string): Promise<HandoutResult[]>
    createForKeys(wish: KeysWish, folder: string): Promise<HandoutResult[]>
    chooseKit(path: string): Promise<MethodOutput<'handouts.chooseKit'>>
    openKit(kitId: string, passphrase?: string): Promise<KitContent>
  }
  readonly register: { csv(): Promise<string> }
  readonly dialogs: HandoutDialogs
  readonly clipboard: ClipboardPort
  readonly disk: Disk
}

/** Kits and the register as files that a person chooses in a dialog. */
interface HandoutFiles {
  /** The place first: nothing is made when none was chosen. Fails as `Handouts.create` does. */
  create(wish: HandoutWish): Promise<HandoutResult>
  createMany(wish: ManyHolders): Promise<HandoutResult[]>
  createForKeys(wish: KeysWish): Promise<HandoutResult[]>
  chooseKit(): Promise<MethodOutput<'handouts.chooseKit'>>
  /** Without a passphrase, the one in the clipboard is tried. */
  openKit(kitId: string, passphrase?: string): Promise<KitContent>
  /** Fails with `file.unwritable`. */
  exportRegister(): Promise<MethodOutput<'register.export'>>
}

/** By this mark a spreadsheet knows that the text is UTF-8. */
const byteOrderMark = '\uFEFF'

export function createHandoutFiles({ handouts, register, dialogs, clipboard, disk }: HandoutParts): HandoutFiles {
  return {
    async create(wish) {
      const path = await dialogs.saveKit(kitFileName(wish.holder.name))
      return path === undefined ? cancelled(wish.holder) : handouts.create(wish, path)
    },
    async createMany(wish) {
      const folder = await dialogs.chooseFolder()
      return folder === undefined ? wish.holders.map(cancelled) : handouts.createMany(wish, folder)
    },
    async createForKeys(wish) {
      const folder = await dialogs.chooseFolder()
      const holders = wish.keys.map(({ holder }) => holder)
      return folder === undefined ? holders.map(cancelled) : handouts.createForKeys(wish, folder)
    },
    async chooseKit() {
      const path = await dialogs.openKit()
      return path === undefined ? {} : handouts.chooseKit(path)
    },
    openKit: async (kitId, passphrase) => handouts.openKit(kitId, passphrase ?? (await clipboard.readText()).trim()),
    async exportRegister() {
      const path = await dialogs.saveRegister('keys.csv')
      if (path === undefined) return { saved: false }
      const content = new Content(byteOrderMark + (await register.csv()))
      await writeFile({ path: await resolveLinks(path, disk), content, mode: 0o600 }, disk)
      return { saved: true, path }
    },
  }
}

const cancelled = (holder: Holder): HandoutResult => ({
  ...{ id: randomUUID(), holder, keyName: '' },
  ...{ state: 'cancelled', hasPassphrase: false },
})
