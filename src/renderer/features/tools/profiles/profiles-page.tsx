import type { ProfileEntry, ProfileView, ToolView } from '@shared/contract'
import i18next from 'i18next'
import { BookmarkPlus, CircleCheck, Download, History, Users } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { useAction, useCall } from '../../../ipc'
import { joinQueries, Loaded } from '../../../loaded'
import { profilePath, switchProfilePath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { type Action, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/checkbox'
import { joinClassNames } from '../../../ui/cn'
import { QuietCode } from '../../../ui/code'
import { Dialog } from '../../../ui/dialog'
import { MenuButton, type MenuItem } from '../../../ui/menu'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { InlineDetails } from '../../../ui/rows'
import { Hint } from '../../../ui/text'
import { closeWithToast } from '../../../ui/toast'
import { toggleKey } from '../../../ui/virtual-table'
import { formatSite, ToolInitials } from '..'
import {
  entryKey,
  NameField,
  presentEntries,
  RenameDialog,
  readName,
  useProfileMenu,
  useReadFile,
} from './profile-actions'

const t = i18next.getFixedT(null, 'profiles')

interface ProfilesProps {
  readonly profiles: readonly ProfileView[]
  readonly tools: readonly ToolView[]
}

function Profiles({ profiles, tools }: ProfilesProps) {
  const [isSaving, setIsSaving] = useState(false)
  const [renamed, setRenamed] = useState<ProfileView>()
  const getMenuItems = useProfileMenu(setRenamed)
  const canSave = presentEntries(tools).length > 0
  const { choose, isReading, failure } = useReadFile()
  const activeNames = profiles.filter(({ isActive }) => isActive).map(({ name }) => name)
  const importAction: Action = { label: t('import.open'), icon: Download, busy: isReading, onClick: choose }
  const saveAction: Action = {
    label: t('save.open'),
    variant: 'primary',
    icon: BookmarkPlus,
    disabled: !canSave,
    onClick: () => setIsSaving(true),
  }
  return (
    <>
      <PageHeader
        title={t('title')}
        state={
          profiles.length > 0 ? (
            <InlineDetails
              items={[
                t('count', { count: profiles.length }),
                activeNames.length > 0 && t('active', { names: activeNames.join(', ') }),
              ]}
            />
          ) : null
        }
        actions={
          profiles.length > 0 && [
            { label: t('history'), variant: 'ghost', icon: History, to: '/history' },
            importAction,
            saveAction,
          ]
        }
      />
      <ExplainedFailure failure={failure} handlers={{ tryAgain: choose }} busy={isReading} />
      {profiles.length === 0 ? (
        <EmptyState
          icon={Users}
          title={t('none')}
          actions={[importAction, canSave ? saveAction : { label: t('setUpFirst'), variant: 'primary', to: '/tools' }]}
        >
          <p>{t('noneText')}</p>
          <p>{t(canSave ? 'noneSave' : 'noneSetUp')}</p>
        </EmptyState>
      ) : (
        <ul className="grid gap-3" aria-label={t('title')}>
          {profiles.map((profile) => (
            <ProfileCard key={profile.id} profile={profile} items={getMenuItems(profile)} />
          ))}
        </ul>
      )}
      {isSaving ? <SaveDialog tools={tools} profiles={profiles} onClose={() => setIsSaving(false)} /> : null}
      {renamed ? <RenameDialog profile={renamed} onClose={() => setRenamed(undefined)} /> : null}
    </>
  )
}

export function ProfilesPage() {
  const profilesQuery = useCall('profiles.list', {})
  const toolsQuery = useCall('tools.list', {})
  return (
    <Page>
      <Loaded query={joinQueries(profilesQuery, toolsQuery)} rows={4}>
        {([profiles, tools]) => <Profiles profiles={profiles} tools={tools} />}
      </Loaded>
    </Page>
  )
}

/** Maximum number of tools that a profile's card lists. */
const maxToolsPerCard = 6

function SetupFacts({ entry, planName }: { readonly entry: ProfileEntry; readonly planName: string | undefined }) {
  return (
    <Hint as="div">
      <InlineDetails
        items={[
          entry.site.kind !== 'user' && formatSite(entry.site),
          planName,
          <QuietCode key="model">{entry.modelCode}</QuietCode>,
        ]}
      />
    </Hint>
  )
}

function ProfileCard({ profile, items }: { readonly profile: ProfileView; readonly items: readonly MenuItem[] }) {
  const { id, name, entries, isActive, missing } = profile
  const hiddenCount = entries.length - maxToolsPerCard
  return (
    <li
      className={joinClassNames(
        'flex flex-col gap-3 rounded-lg border bg-surface pt-3 pr-3 pb-3.5 pl-4',
        isActive && 'border-accent-line',
      )}
    >
      <header className="flex min-h-7 items-center gap-2.5">
        <h2 className="min-w-0 wrap-anywhere text-lg">
          <Link to={profilePath(id)} className="text-text">
            {name}
          </Link>
        </h2>
        {isActive ? (
          <Badge tone="success" icon={CircleCheck}>
            {t('inUse')}
          </Badge>
        ) : null}
        <div className="ml-auto flex flex-none items-center gap-1">
          {isActive || missing.length > 0 ? null : (
            <ButtonLink size="sm" to={switchProfilePath(id)}>
              {t('switch')}
              <span className="sr-only"> {name}</span>
            </ButtonLink>
          )}
          <MenuButton size="sm" label={t('more', { name })} items={items} />
        </div>
      </header>
      {missing.length > 0 ? (
        <Callout
          tone="warning"
          title={t('missing.title')}
          actions={[{ label: t('missing.choose'), to: profilePath(id) }]}
        >
          {t('missing.text', { what: missing.join(', ') })}
        </Callout>
      ) : null}
      <ul
        className="grid grid-cols-[repeat(auto-fill,minmax(250px,1fr))] gap-x-4 gap-y-2.5"
        aria-label={t('toolsOf', { name })}
      >
        {entries.slice(0, maxToolsPerCard).map((entry) => (
          <li key={entryKey(entry)} className="flex min-w-0 items-center gap-2.5">
            <ToolInitials tool={{ name: entry.toolName }} />
            <div className="min-w-0">
              <p className="font-strong">{entry.toolName}</p>
              <SetupFacts entry={entry} planName={entry.planName} />
            </div>
          </li>
        ))}
      </ul>
      {hiddenCount > 0 ? (
        <Link to={profilePath(id)} className="text-muted text-sm">
          {t('moreTools', { count: hiddenCount })}
        </Link>
      ) : null}
    </li>
  )
}

function SaveDialog({ tools, profiles, onClose }: ProfilesProps & { readonly onClose: () => void }) {
  const { data: plans = [] } = useCall('plans.list', {})
  const [text, setText] = useState('')
  const [excludedToolIds, setExcludedToolIds] = useState<ReadonlySet<string>>(new Set())
  const entries = presentEntries(tools)
  const toolIds = [...new Set(entries.map(({ toolId }) => toolId))].filter((id) => !excludedToolIds.has(id))
  const usedNames = profiles.map((profile) => profile.name)
  const name = readName(text, usedNames)
  const saveCurrent = useAction('profiles.saveCurrent', {
    invalidates: ['profiles'],
    onSuccess: (profile) => closeWithToast(onClose, t('save.done', { name: profile.name })),
  })
  const canSave = name !== undefined && toolIds.length > 0
  const submit = (): void => {
    if (canSave && !saveCurrent.isPending)
      saveCurrent.mutate({ name, ...(excludedToolIds.size > 0 ? { toolIds } : {}) })
  }
  return (
    <Dialog
      mutation={saveCurrent}
      onClose={onClose}
      title={t('save.title')}
      description={t('save.text')}
      action={{ label: t('save.button'), onSubmit: submit, disabled: !canSave }}
    >
      <NameField text={text} onText={setText} taken={usedNames} />
      <ul className="grid max-h-70 overflow-auto rounded-md border" aria-label={t('save.tools')}>
        {tools
          .filter(({ id }) => entries.some(({ toolId }) => toolId === id))
          .map(({ id, name: toolName }) => (
            <li key={id} className="flex gap-1.5 border-t py-2 pr-3 pl-2 first:border-t-0">
              <Checkbox
                checked={!excludedToolIds.has(id)}
                onCheckedChange={() => setExcludedToolIds(toggleKey(excludedToolIds, id))}
                label={toolName}
              />
              <div className="min-w-0 pt-0.5">
                <p className="font-strong">{toolName}</p>
                {entries
                  .filter(({ toolId }) => toolId === id)
                  .map((entry) => (
                    <SetupFacts
                      key={entryKey(entry)}
                      entry={entry}
                      planName={plans.find((plan) => plan.id === entry.planId)?.name}
                    />
                  ))}
              </div>
            </li>
          ))}
      </ul>
    </Dialog>
  )
}
