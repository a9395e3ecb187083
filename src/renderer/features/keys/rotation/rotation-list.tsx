import type { RotationView } from '@shared/contract'
import i18next from 'i18next'
import { RotateCw, X } from 'lucide-react'
import { formatDate, formatRelative, formatTime } from '../../../format'
import { Loaded } from '../../../loaded'
import { rotatePath, rotationPath } from '../../../paths'
import { useNow } from '../../../relative-time'
import { Badge } from '../../../ui/badge'
import { IconButton } from '../../../ui/icon-button'
import { EmptyState, RowSection } from '../../../ui/page'
import { Row, RowIcon } from '../../../ui/rows'
import { ScheduleList } from './rotation-fields'
import { findProgress, isEnded, isHandoverOpen, stateTones, useRotationActions, useRotations } from './rotations'

const t = i18next.getFixedT(null, 'rotation')

function RotationRow({ rotation }: { readonly rotation: RotationView }) {
  const currentTime = useNow()
  const { dismiss, isDismissing } = useRotationActions(rotation)
  const { id, planName, oldKeyName, newKeyName, state, startedAt, deleteAt } = rotation
  const { at, count } = findProgress(rotation)
  return (
    <Row
      to={rotationPath(id)}
      leading={<RowIcon icon={RotateCw} />}
      title={`${oldKeyName} → ${newKeyName}`}
      description={[
        planName,
        t('list.began', { when: `${formatDate(startedAt)} ${formatTime(startedAt)}` }),
        state === 'waiting' &&
          deleteAt !== undefined &&
          t('list.waiting', { when: formatRelative(deleteAt, currentTime).short }),
        !isEnded(rotation) && state !== 'waiting' && t('list.step', { at, count }),
      ]}
      trailing={
        <>
          <Badge tone={stateTones[state]}>{t(isHandoverOpen(rotation) ? 'handover.state' : `states.${state}`)}</Badge>
          {isEnded(rotation) ? (
            <IconButton icon={X} size="sm" label={t('view.dismiss')} busy={isDismissing} onClick={dismiss} />
          ) : null}
        </>
      }
    />
  )
}

export function RotationList() {
  const query = useRotations()
  return (
    <>
      <ScheduleList />
      <Loaded query={query} rows={3}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={RotateCw} title={t('list.none')} next={{ to: rotatePath, label: t('title') }}>
              {t('list.noneText')}
            </EmptyState>
          ) : (
            <RowSection
              title={t('list.title')}
              description={t('list.hint')}
              actions={[{ label: t('title'), icon: RotateCw, to: rotatePath }]}
            >
              {list.map((rotation) => (
                <RotationRow key={rotation.id} rotation={rotation} />
              ))}
            </RowSection>
          )
        }
      </Loaded>
    </>
  )
}
