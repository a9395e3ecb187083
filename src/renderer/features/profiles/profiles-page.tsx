import type { ProfileView, ToolView } from '@shared/contract'
import { BookmarkPlus, Download, History, Users } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { ExplainedFailure } from '../failures/explained-failure'
import { presentEntries } from './entries'
import { ProfileCard } from './profile-card'
import styles from './profiles.module.css'
import { RenameDialog } from './rename-dialog'
import { SaveDialog } from './save-dialog'
import { useProfileMenu } from './use-profile-menu'
import { useReadFile } from './use-read-file'

function StateLine({ profiles }: { readonly profiles: readonly ProfileView[] }) {
  const { t } = useTranslation('profiles')
  const active = profiles.filter(({ isActive }) => isActive).map(({ name }) => name)
  return (
    <Facts
      items={[t('count', { count: profiles.length }), active.length > 0 && t('active', { names: active.join(', ') })]}
    />
  )
}

interface EmptyProps {
  readonly canSave: boolean
  readonly onSave: () => void
  readonly onImport: () => void
}

function NoProfiles({ canSave, onSave, onImport }: EmptyProps) {
  const { t } = useTranslation('profiles')
  return (
    <EmptyState
      icon={Users}
      title={t('none')}
      actions={
        <>
          <Button icon={Download} onClick={onImport}>
            {t('import.open')}
          </Button>
          {canSave ? (
            <Button variant="primary" icon={BookmarkPlus} onClick={onSave}>
              {t('save.open')}
            </Button>
          ) : (
            <ButtonLink variant="primary" to="/tools">
              {t('setUpFirst')}
            </ButtonLink>
          )}
        </>
      }
    >
      <p>{t('noneText')}</p>
      <p>{t(canSave ? 'noneSave' : 'noneSetUp')}</p>
    </EmptyState>
  )
}

interface ProfilesProps {
  readonly profiles: readonly ProfileView[]
  readonly tools: readonly ToolView[]
}

function Profiles({ profiles, tools }: ProfilesProps) {
  const { t } = useTranslation('profiles')
  const [isSaving, setIsSaving] = useState(false)
  const [renamed, setRenamed] = useState<ProfileView>()
  const itemsOf = useProfileMenu(setRenamed)
  const reading = useReadFile()
  const canSave = presentEntries(tools).length > 0
  const save = (): void => setIsSaving(true)
  return (
    <>
      <PageHeader
        title={t('title')}
        state={profiles.length > 0 ? <StateLine profiles={profiles} /> : null}
        actions={
          profiles.length > 0 ? (
            <>
              <ButtonLink variant="ghost" icon={History} to="/history">
                {t('history')}
              </ButtonLink>
              <Button icon={Download} busy={reading.isReading} onClick={reading.choose}>
                {t('import.open')}
              </Button>
              <Button variant="primary" icon={BookmarkPlus} disabled={!canSave} onClick={save}>
                {t('save.open')}
              </Button>
            </>
          ) : null
        }
      />
      {reading.failure ? (
        <ExplainedFailure failure={reading.failure} handlers={{ tryAgain: reading.choose }} busy={reading.isReading} />
      ) : null}
      {profiles.length === 0 ? (
        <NoProfiles canSave={canSave} onSave={save} onImport={reading.choose} />
      ) : (
        <ul className={styles.cards} aria-label={t('title')}>
          {profiles.map((profile) => (
            <ProfileCard key={profile.id} profile={profile} items={itemsOf(profile)} />
          ))}
        </ul>
      )}
      {isSaving ? <SaveDialog tools={tools} profiles={profiles} onClose={() => setIsSaving(false)} /> : null}
      {renamed ? <RenameDialog profile={renamed} onClose={() => setRenamed(undefined)} /> : null}
    </>
  )
}

/** The profiles of this computer: what each sets, which is in use, and the way to another. */
export function ProfilesPage() {
  const profiles = useCall('profiles.list', {})
  const tools = useCall('tools.list', {})
  return (
    <Page>
      <Loaded query={profiles} skeleton={<SkeletonRows rows={4} />}>
        {(all) => (
          <Loaded query={tools} skeleton={<SkeletonRows rows={4} />}>
            {(list) => <Profiles profiles={all} tools={list} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
