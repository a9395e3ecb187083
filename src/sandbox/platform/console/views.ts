import { isExhausted } from '../../state/allowances'
import { keysOf } from '../../state/key-additions'
import { renewalOf } from '../../state/renewal'
import type { Key, ModelAllowance, Plan } from '../../state/world'
import type { Call } from '../operation'
import { modelFacts } from './model-facts'

/** Ours: what stands for an address and a secret until provisioning has finished. Neither can be taken for a real one. */
const masked = { gatewayUrl: '***', key: 'sk-****' } as const

type Scene = Pick<Call, 'store' | 'gatewayUrl'>

const isProvisioned = ({ store }: Pick<Call, 'store'>, { provisionedAt }: Plan): boolean =>
  Date.parse(provisionedAt) <= store.nowMs()

function viewModel(model: ModelAllowance, endpoint: string) {
  const { modelCode, displayName, tokenQuota, requestQuota, tokensUsed, requestsUsed } = model
  const status = isExhausted(model) ? 'EXHAUSTED' : 'ACTIVE'
  const allowances = { tokenQuota, requestQuota, tokensUsed, requestsUsed }
  return { modelCode, displayName, status, ...allowances, ...modelFacts(modelCode), endpoint }
}

/** A plan as the console tells it. Ours: a model is `ACTIVE` or `EXHAUSTED`, and `renewal` is there while renewing is being retried. */
export function viewPlan(scene: Scene, plan: Plan) {
  const { planId, name, packageId, planType, status, autoRenew, purchasedAt, expiresAt, cycleDays, maxKeys, total } =
    plan
  const provisioned = isProvisioned(scene, plan)
  const gatewayUrl = provisioned ? scene.gatewayUrl : masked.gatewayUrl
  const renewal = renewalOf(plan)
  return {
    planId,
    name,
    packageId,
    planType,
    status,
    provisioned,
    autoRenew,
    purchasedAt,
    expiresAt,
    cycleDays,
    keysUsed: keysOf(scene.store.world(), planId).length,
    maxKeys,
    total,
    gatewayUrl,
    models: plan.models.map((model) => viewModel(model, gatewayUrl)),
    ...(renewal ? { renewal } : {}),
  }
}

/** A key with its secret, which is masked until its plan is provisioned; it works before that as well. */
export function viewKey(scene: Pick<Call, 'store'>, plan: Plan, { keyId, name, status, createdAt }: Key) {
  const key = isProvisioned(scene, plan) ? scene.store.secretOf(keyId) : masked.key
  return { keyId, name, status, key, createdAt }
}
