import type { MethodOutput, ProfileEntry, ProfileFile, ProfileView, ToolView } from '@shared/contract'
import { limits } from '@shared/limits'
import i18next from 'i18next'
import { ArrowRightLeft, Pencil, SlidersHorizontal, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction, useCall } from '../../../ipc'
import { importProfilePath, profilePath, switchProfilePath } from '../../../paths'
import { useToastAction, useUndoableRemoval } from '../../../toast-actions'
import { Dialog } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import type { MenuItem } from '../../../ui/menu'
import { toast } from '../../../ui/toast'
import { useWindowState } from '../../../window-state'
import { listSetups, setupKey } from '..'

const t = i18next.getFixedT(null, 'profiles')

export function useReadFile() {
  const navigate = useNavigate()
  const [, setImport] = useImport()
  const readFileAction = useAction('profiles.readFile', {
    onSuccess: ({ importId, file }) => {
      if (importId === undefined || file === undefined) return
      const plans = Object.fromEntries(file.plans.map(({ ref, matchingPlanId }) => [ref, matchingPlanId]))
      setImport(() => ({ importId, file, name: file.name, plans }))
      void navigate(importProfilePath)
    },
  })
  const chooseFile = (): void => {
    if (!readFileAction.isPending) readFileAction.mutate({})
  }
  return { choose: chooseFile, isReading: readFileAction.isPending, failure: readFileAction.error?.failure }
}

/** A profile file that the user has opened but not imported yet, with the choices made for it. */
export interface ReadProfile {
  readonly importId: string
  readonly file: ProfileFile
  readonly name: string
  /** Id of the local plan that the user chose, by the reference of the plan in the file. */
  readonly plans: Readonly<Record<string, string | undefined>>
}

/** Import of a profile, kept until the window closes. */
export const useImport = () => useWindowState<ReadProfile | undefined>('profiles.import', undefined)

/** Key of an entry, unique within a profile. */
export const entryKey = ({ toolId, site }: ProfileEntry): string => setupKey(toolId, site)

/** Profile entries for all current setups of tools. Omits setups whose plan no longer exists. */
export const presentEntries = (tools: readonly ToolView[]): readonly ProfileEntry[] =>
  tools.flatMap((tool) =>
    listSetups(tool).flatMap(({ site, applied }) => {
      if (applied?.planName === undefined) return []
      const { planId, keyId, modelCode, slots, delivery } = applied
      return [{ toolId: tool.id, site, planId, ...(keyId === undefined ? {} : { keyId }), modelCode, slots, delivery }]
    }),
  )

/** Whether a profile name is taken. Ignores case and surrounding blanks. */
const isNameTaken = (name: string, takenNames: readonly string[]): boolean => {
  const normalizeText = (text: string): string => text.trim().normalize('NFC').toLocaleLowerCase()
  return takenNames.some((takenName) => normalizeText(takenName) === normalizeText(name))
}

export function RenameDialog({ profile, onClose }: { readonly profile: ProfileView; readonly onClose: () => void }) {
  const [text, setText] = useState(profile.name)
  const { data: profiles = [] } = useCall('profiles.list', {})
  const usedNames = profiles.filter(({ id }) => id !== profile.id).map((otherProfile) => otherProfile.name)
  const name = readName(text, usedNames)
  const saveProfile = useAction('profiles.update', { invalidates: ['profiles'], onSuccess: onClose })
  const canSave = name !== undefined && name !== profile.name
  const submit = (): void => {
    if (canSave && !saveProfile.isPending) saveProfile.mutate({ id: profile.id, name })
  }
  return (
    <Dialog
      size="sm"
      mutation={saveProfile}
      onClose={onClose}
      title={t('rename.title', { name: profile.name })}
      action={{ label: t('rename.button'), onSubmit: submit, disabled: !canSave }}
    >
      <NameField text={text} onText={setText} taken={usedNames} />
    </Dialog>
  )
}

/** Trimmed name of a profile. Undefined if it is invalid or taken. */
export function readName(text: string, takenNames: readonly string[]): string | undefined {
  const name = text.trim()
  return name === '' || name.length > limits.nameCharacters || isNameTaken(name, takenNames) ? undefined : name
}

export function NameField(props: {
  readonly text: string
  readonly onText: (text: string) => void
  readonly taken: readonly string[]
}) {
  const { text, onText, taken } = props
  const error = isNameTaken(text, taken)
    ? t('name.taken')
    : text.trim().length > limits.nameCharacters
      ? t('name.tooLong', { count: limits.nameCharacters })
      : undefined
  return (
    <TextField
      label={t('name.label')}
      required
      error={error}
      hint={t('name.hint')}
      autoFocus
      value={text}
      placeholder={t('name.placeholder')}
      onChange={onText}
    />
  )
}

/** Whether an entry can be exported. Setups in a project folder or WSL distribution exist only on this computer. */
const isPortable = ({ site }: ProfileView['entries'][number]): boolean => site.kind === 'user'

function useExport(): (profile: ProfileView) => void {
  const { mutate } = useToastAction('profiles.export')
  return ({ id, name, entries }) => {
    const unportableCount = entries.filter((entry) => !isPortable(entry)).length
    const hint = unportableCount > 0 ? t('exportedPartly', { count: unportableCount }) : t('exportedHint')
    const onSuccess = ({ path }: MethodOutput<'profiles.export'>): void => {
      if (path !== undefined) void toast(t('exported', { name }), { description: `${hint} ${path}` })
    }
    mutate({ id }, { onSuccess })
  }
}

export function useProfileMenu(
  onRename: (profile: ProfileView) => void,
): (profile: ProfileView) => readonly MenuItem[] {
  const removeProfile = useUndoableRemoval('profile')
  const exportProfile = useExport()
  return (profile) => [
    {
      label: t('menu.switch'),
      icon: ArrowRightLeft,
      disabled: profile.missing.length > 0,
      to: switchProfilePath(profile.id),
    },
    { label: t('menu.edit'), icon: SlidersHorizontal, to: profilePath(profile.id) },
    { label: t('menu.rename'), icon: Pencil, onSelect: () => onRename(profile) },
    {
      label: t('menu.export'),
      icon: Upload,
      disabled: !profile.entries.some(isPortable),
      onSelect: () => exportProfile(profile),
    },
    'separator',
    {
      label: t('menu.remove'),
      icon: Trash2,
      danger: true,
      onSelect: () =>
        removeProfile(profile.id, { title: t('removed', { name: profile.name }), description: t('removedHint') }),
    },
  ]
}
