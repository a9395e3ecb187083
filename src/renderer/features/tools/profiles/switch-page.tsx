import type { ProfileView, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { ExplainedFailure, isFailureCode } from '../../../failures'
import { formatList, useFormats } from '../../../format'
import { useCall } from '../../../ipc'
import { profilePath, profilesPath } from '../../../paths'
import { PageHeader } from '../../../ui/page'
import { BulkWrite, useUndoableToast } from '../history/bulk-write'
import { ProfilePanel } from './profile-actions'

function Outcome({ profile }: { readonly profile: ProfileView }) {
  const { t } = useTranslation('profiles')
  const { locale } = useFormats()
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
      {unchangedToolNames.length > 0 ? (
        <p>{t('use.staying', { tools: formatList(unchangedToolNames, locale) })}</p>
      ) : null}
    </>
  )
}

function SwitchProfileForm({ profile, tools }: { readonly profile: ProfileView; readonly tools: readonly ToolView[] }) {
  const { t } = useTranslation('profiles')
  const navigate = useNavigate()
  const showToast = useUndoableToast()
  // Code of the failure of a switch that was started in the tray menu.
  const [search] = useSearchParams()
  const failedCode = search.get('failed') ?? ''
  const { id, name } = profile
  const query = useCall('profiles.previewUse', { id }, { staleTime: 0, gcTime: 0 })
  const finishSwitch = (): void => {
    void navigate(profilesPath, { replace: true })
    void showToast(t('use.done', { name }))
  }
  const renderRefusal = (failure: Failure) =>
    failure.code === 'profile.incomplete' ? (
      <ExplainedFailure failure={failure} actions={[{ label: t('missing.choose'), to: profilePath(id) }]} />
    ) : undefined
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
        query={query}
        tools={tools}
        title={t('use.changes')}
        description={t('use.hint')}
        label={t('use.button')}
        outcome={<Outcome profile={profile} />}
        before={
          isFailureCode(failedCode) ? { code: failedCode, message: 'Switching from the tray failed.' } : undefined
        }
        refused={renderRefusal}
        onDone={finishSwitch}
      />
    </>
  )
}

export function SwitchPage() {
  return (
    <ProfilePanel>
      {(profile, tools) => <SwitchProfileForm key={profile.id} profile={profile} tools={tools} />}
    </ProfilePanel>
  )
}
