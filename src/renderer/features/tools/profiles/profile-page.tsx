import type { PlanView, ProfileEntry, ProfileView, ToolView } from '@shared/contract'
import { findUsableModel } from '@shared/model-quota'
import { hashKey } from '@tanstack/react-query'
import i18next from 'i18next'
import { ArrowRightLeft, CircleCheck, RotateCw, SearchX, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { ExplainedFailure, isFailureCode } from '../../../failures'
import { formatList } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { joinQueries, Loaded } from '../../../loaded'
import { profilePath, profilesPath, switchProfilePath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { IconButton } from '../../../ui/icon-button'
import { MenuButton } from '../../../ui/menu'
import { EmptyState, Page, PageHeader, Section } from '../../../ui/page'
import { Hint } from '../../../ui/text'
import { toast } from '../../../ui/toast'
import { useToolName } from '../../connections/account'
import { useModelQuotas } from '../../usage/quota'
import {
  BulkWrite,
  formatSite,
  isModelCode,
  KeyField,
  ModelField,
  PlanField,
  ToolInitials,
  useBulkWrite,
  usePreview,
} from '..'
import { useUndoableToast } from '../history/undo-toast'
import { entryKey, presentEntries, RenameDialog, useProfileMenu } from './profile-actions'

const t = i18next.getFixedT(null, ['profiles', 'tools'])

interface EditProps {
  readonly profile: ProfileView
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[]
}

function Header({ profile }: Pick<EditProps, 'profile'>) {
  const [isRenaming, setIsRenaming] = useState(false)
  const items = useProfileMenu(() => setIsRenaming(true))(profile)
  const { id, name, isActive, missing } = profile
  return (
    <>
      <PageHeader
        title={name}
        breadcrumb={[{ label: t('title'), to: profilesPath }]}
        badge={
          isActive ? (
            <Badge tone="success" icon={CircleCheck}>
              {t('inUse')}
            </Badge>
          ) : null
        }
        state={t('edit.state')}
        actions={[
          !(isActive || missing.length > 0) && { label: t('switch'), icon: ArrowRightLeft, to: switchProfilePath(id) },
          <MenuButton key="menu" label={t('more', { name })} items={items} />,
        ]}
      />
      {isRenaming ? <RenameDialog profile={profile} onClose={() => setIsRenaming(false)} /> : null}
    </>
  )
}

function Edit({ profile, tools, plans }: EditProps) {
  const navigate = useNavigate()
  const getToolName = useToolName()
  const storedEntries = profile.entries.map(({ toolName: _, planName: __, ...entry }): ProfileEntry => entry)
  const [draft, setDraft] = useState<readonly ProfileEntry[]>()
  const entries = draft ?? storedEntries
  const saveProfile = useAction('profiles.update', {
    invalidates: ['profiles'],
    onSuccess: ({ id, name, isActive }) => {
      setDraft(undefined)
      const action = { label: t('edit.use'), onClick: () => void navigate(switchProfilePath(id)) }
      void toast(t('edit.saved', { name }), isActive ? {} : { description: t('edit.savedHint'), action })
    },
  })
  const isChanged = !hasSameEntries(entries, storedEntries)
  const canSave =
    isChanged && entries.length > 0 && entries.every((entry) => findEntryProblem(entry, plans) !== 'model')
  const save = (): void => {
    const savedEntries = entries.map((entry) => ({ ...entry, modelCode: entry.modelCode.trim() }))
    saveProfile.mutate({ id: profile.id, entries: savedEntries })
  }
  const currentEntries = presentEntries(tools)
  return (
    <>
      <Header profile={profile} />
      <Section
        title={t('edit.tools')}
        description={t('edit.toolsHint')}
        actions={[
          {
            label: t('edit.takeOver'),
            icon: RotateCw,
            disabled: currentEntries.length === 0 || hasSameEntries(currentEntries, entries),
            onClick: () => setDraft(currentEntries),
          },
        ]}
      >
        <ul className="rounded-lg border bg-surface" aria-label={t('toolsOf', { name: profile.name })}>
          {entries.map((entry) => (
            <EntryFields
              key={entryKey(entry)}
              entry={entry}
              name={getToolName(entry.toolId)}
              lostPlan={profile.entries.find((profileEntry) => profileEntry.planId === entry.planId)?.planName}
              onChange={(changed) => setDraft(entries.map((oldEntry) => (oldEntry === entry ? changed : oldEntry)))}
              onRemove={
                entries.length > 1 ? () => setDraft(entries.filter((oldEntry) => oldEntry !== entry)) : undefined
              }
            />
          ))}
        </ul>
        <ExplainedFailure failure={saveProfile.error?.failure} />
        <div className="flex items-center justify-end gap-2">
          <Button variant="ghost" disabled={!isChanged} onClick={() => setDraft(undefined)}>
            {t('edit.discard')}
          </Button>
          <Button variant="primary" busy={saveProfile.isPending} disabled={!canSave} onClick={save}>
            {t('edit.save')}
          </Button>
        </div>
      </Section>
    </>
  )
}

/** Finds the profile in the page address and renders its page, or an empty state if the profile does not exist. */
function ProfilePanel(props: { readonly children: (profile: ProfileView, tools: readonly ToolView[]) => ReactNode }) {
  const { children } = props
  const { profileId = '' } = useParams()
  const profilesQuery = useCall('profiles.list', {})
  const toolsQuery = useCall('tools.list', {})
  return (
    <Page>
      <Loaded query={joinQueries(profilesQuery, toolsQuery)} rows={4}>
        {([profiles, tools]) => {
          const profile = profiles.find(({ id }) => id === profileId)
          if (profile) return children(profile, tools)
          return (
            <EmptyState icon={SearchX} title={t('gone')} actions={[{ label: t('toProfiles'), to: profilesPath }]} />
          )
        }}
      </Loaded>
    </Page>
  )
}

/** Saves the profile without writing to any tool. */
export function EditProfilePage() {
  const plans = useCall('plans.list', {})
  return (
    <ProfilePanel>
      {(profile, tools) => (
        <Loaded query={plans} rows={4}>
          {(allPlans) => <Edit key={profile.id} profile={profile} tools={tools} plans={allPlans} />}
        </Loaded>
      )}
    </ProfilePanel>
  )
}

function EntryFields(props: {
  readonly entry: ProfileEntry
  readonly name: string
  readonly lostPlan: string | undefined
  readonly onChange: (entry: ProfileEntry) => void
  /** Removes the entry from the profile. Undefined for the last entry, because a profile must not be empty. */
  readonly onRemove: (() => void) | undefined
}) {
  const { entry, name, lostPlan, onChange, onRemove } = props
  const { data: plans = [] } = useCall('plans.list', {})
  const plan = plans.find(({ id }) => id === entry.planId)
  const problem = findEntryProblem(entry, plans)
  const { listExhausted } = useModelQuotas()
  const choosePlan = (planId: string): void => {
    const chosenPlan = plans.find(({ id }) => id === planId)
    if (chosenPlan) onChange(setEntryPlan(entry, chosenPlan, listExhausted(planId)))
  }
  return (
    <li
      className={joinClassNames(
        'grid grid-cols-[minmax(150px,2fr)_minmax(0,6fr)_28px] items-center gap-4 border-t py-3 pr-3 pl-4',
        'first:border-t-0',
      )}
    >
      <div className="flex min-w-0 items-center gap-2.5">
        <ToolInitials tool={{ name }} />
        <div className="min-w-0">
          <p className="font-strong">{name}</p>
          {entry.site.kind === 'user' ? null : <Hint>{formatSite(entry.site)}</Hint>}
          <Hint>{t(`tools:deliveries.${entry.delivery}`)}</Hint>
        </div>
      </div>
      <fieldset className="grid min-w-0 grid-cols-[repeat(auto-fit,minmax(160px,1fr))] gap-3" aria-label={name}>
        <PlanField
          plans={plans}
          value={plan?.id}
          onChange={choosePlan}
          error={problem === 'plan' ? t('profiles:edit.planGone', { plan: lostPlan ?? entry.planId }) : undefined}
        />
        {plan ? (
          <KeyField
            plan={plan}
            value={entry.keyId ?? plan.defaultKeyId}
            onChange={(keyId) => onChange({ ...entry, keyId })}
          />
        ) : null}
        <ModelField
          key={entry.planId}
          label={t('tools:model')}
          value={entry.modelCode}
          plan={plan}
          onChange={(code) => onChange(withModel(entry, code))}
        />
        {problem === 'key' ? <p className="text-sm text-warning">{t('profiles:edit.keyGone')}</p> : null}
      </fieldset>
      {onRemove ? (
        <IconButton icon={X} size="sm" label={t('profiles:edit.remove', { tool: name })} onClick={onRemove} />
      ) : null}
    </li>
  )
}

/** Changes the model, and also the slots that used the previous model. */
export function withModel(entry: ProfileEntry, modelCode: string): ProfileEntry {
  const slots = Object.entries(entry.slots).filter(([, code]) => code !== entry.modelCode)
  return { ...entry, modelCode, slots: Object.fromEntries(slots) }
}

/** Changes the plan: selects its default key, and a model with quota if it does not have the entry's model. */
function setEntryPlan(entry: ProfileEntry, plan: PlanView, exhausted: ReadonlySet<string>): ProfileEntry {
  const { keyId: _, ...rest } = entry
  const isModelInPlan = (code: string): boolean => plan.models.length === 0 || plan.models.includes(code)
  const modelCode = isModelInPlan(entry.modelCode)
    ? entry.modelCode
    : (findUsableModel(plan.models, exhausted) ?? entry.modelCode)
  const slots = Object.fromEntries(Object.entries(entry.slots).filter(([, code]) => isModelInPlan(code)))
  return { ...rest, planId: plan.id, modelCode, slots }
}

/** Whether two lists have the same entries, in any order of their slots. */
export const hasSameEntries = (a: readonly ProfileEntry[], b: readonly ProfileEntry[]): boolean =>
  hashKey([a]) === hashKey([b])

/** Reason why an entry cannot be saved: a missing plan or key, or an invalid model code. */
function findEntryProblem(entry: ProfileEntry, plans: readonly PlanView[]): 'plan' | 'key' | 'model' | undefined {
  const plan = plans.find(({ id }) => id === entry.planId)
  if (!plan) return 'plan'
  if (entry.keyId !== undefined && !plan.keys.some(({ id }) => id === entry.keyId)) return 'key'
  return isModelCode(entry.modelCode) ? undefined : 'model'
}

function SwitchOutcome({ profile }: { readonly profile: ProfileView }) {
  const { data: profiles = [] } = useCall('profiles.list', {})
  // Names of tools that other active profiles configure and that this profile does not change.
  const ownToolIds = new Set(profile.entries.map(({ toolId }) => toolId))
  const otherActiveProfiles = profiles.filter(({ id, isActive }) => isActive && id !== profile.id)
  const unchangedEntries = otherActiveProfiles.flatMap(({ entries }) =>
    entries.filter(({ toolId }) => !ownToolIds.has(toolId)),
  )
  const unchangedToolNames = [...new Set(unchangedEntries.map(({ toolName }) => toolName))]
  return (
    <>
      <p>{t('use.outcome', { name: profile.name })}</p>
      {unchangedToolNames.length > 0 ? <p>{t('use.staying', { tools: formatList(unchangedToolNames) })}</p> : null}
    </>
  )
}

function SwitchProfileForm({ profile }: Pick<EditProps, 'profile'>) {
  const navigate = useNavigate()
  const showToast = useUndoableToast()
  // Code of the failure of a switch that was started in the tray menu.
  const [search] = useSearchParams()
  const failedCode = search.get('failed') ?? ''
  const { id, name } = profile
  const state = useBulkWrite({
    shown: usePreview('profiles.previewUse', { id }),
    onDone: () => {
      void navigate(profilesPath, { replace: true })
      void showToast(t('use.done', { name }))
    },
  })
  const failure = state.shown.error?.failure
  return (
    <>
      <PageHeader
        title={t('use.title', { name })}
        state={t('use.state')}
        breadcrumb={[
          { label: t('title'), to: profilesPath },
          { label: name, to: profilePath(id) },
        ]}
      />
      <BulkWrite
        state={state}
        title={t('use.changes')}
        description={t('use.hint')}
        label={t('use.button')}
        outcome={<SwitchOutcome profile={profile} />}
        before={
          isFailureCode(failedCode) ? { code: failedCode, message: 'Switching from the tray failed.' } : undefined
        }
        area={{
          refusal:
            failure?.code === 'profile.incomplete' ? (
              <ExplainedFailure failure={failure} actions={[{ label: t('missing.choose'), to: profilePath(id) }]} />
            ) : undefined,
        }}
      />
    </>
  )
}

export function SwitchPage() {
  return <ProfilePanel>{(profile) => <SwitchProfileForm key={profile.id} profile={profile} />}</ProfilePanel>
}
