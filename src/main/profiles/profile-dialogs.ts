import type { MethodOutput, ProfileFile } from '@shared/contract'
import type { Disk } from '../tools/disk'
import { Content, resolveLinks, writeFile } from '../tools/files'
import { readProfileText } from './profile-file'

/** Asks a person for the path of a profile's file; undefined when none was chosen. */
export interface ProfileDialogs {
  openProfile(): Promise<string | undefined>
  saveProfile(suggestedName: string): Promise<string | undefined>
}

/** What of the profiles is needed here. */
interface ProfileTexts {
  textOf(id: string): { readonly name: string; readonly text: string }
  read(text: string): Promise<{ importId: string; file: ProfileFile }>
}

interface ProfileFilesDeps {
  readonly profiles: ProfileTexts
  readonly dialogs: ProfileDialogs
  readonly disk: Disk
}

/** Profiles as files that a person chooses in a dialog. */
interface ProfileFiles {
  /** Fails with `profile.*` or `file.unwritable`. */
  export(id: string): Promise<MethodOutput<'profiles.export'>>
  /** Fails with `profile.unreadable` or `file.unreadable`. */
  read(): Promise<MethodOutput<'profiles.readFile'>>
}

export function createProfileFiles({ profiles, dialogs, disk }: ProfileFilesDeps): ProfileFiles {
  return {
    async export(id) {
      const { name, text } = profiles.textOf(id)
      const path = await dialogs.saveProfile(fileNameFor(name))
      if (path === undefined) return { saved: false }
      await writeFile({ path: await resolveLinks(path, disk), content: new Content(text), mode: 0o644 }, disk)
      return { saved: true, path }
    },
    async read() {
      const path = await dialogs.openProfile()
      if (path === undefined) return {}
      return profiles.read(await readProfileText(path))
    },
  }
}

const fileNameFor = (name: string): string => `${name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 50)}.profile.json`
