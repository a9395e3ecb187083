import type { ProfileView, ToolView } from '@shared/contract'
import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { listPath } from './paths'

function Gone() {
  const { t } = useTranslation('profiles')
  return (
    <EmptyState icon={SearchX} title={t('gone')} actions={<ButtonLink to={listPath}>{t('toProfiles')}</ButtonLink>} />
  )
}

/** A page about the profile that its address names, once it is known; or that there is none. */
export function OneProfile({
  children,
}: {
  readonly children: (profile: ProfileView, tools: readonly ToolView[]) => ReactNode
}) {
  const { profileId = '' } = useParams()
  const profiles = useCall('profiles.list', {})
  const tools = useCall('tools.list', {})
  return (
    <Page>
      <Loaded query={profiles} skeleton={<SkeletonRows rows={4} />}>
        {(all) => {
          const profile = all.find(({ id }) => id === profileId)
          if (!profile) return <Gone />
          return (
            <Loaded query={tools} skeleton={<SkeletonRows rows={4} />}>
              {(list) => children(profile, list)}
            </Loaded>
          )
        }}
      </Loaded>
    </Page>
  )
}
