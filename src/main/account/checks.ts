import { PlanName } from '@shared/contract'
import { AppError } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import type { Secret } from '../secret'
import type { AccountPlanRecord, AccountRecord, PackageRecord, SubscriptionKeyRecord } from './records'

const buyers: readonly AccountRecord['role'][] = ['ROOT', 'ADMIN']
const mostKeyNameCharacters = 50

/** Spec, "Limits": plan name. Fails with `account.invalidName`. */
export function requirePlanName(name: string): void {
  if (PlanName.safeParse(name).success) return
  throw invalidName('A plan name has 1 to 50 of the characters a-z A-Z 0-9 _ - . and no others.')
}

/** The name of a key, cleaned (decisions: the rule is ours). Fails with `account.invalidName`. */
export function readKeyName(text: string): string {
  const name = cleanName(text)
  const characters = [...name].length
  if (characters >= 1 && characters <= mostKeyNameCharacters) return name
  throw invalidName(`A key name has 1 to ${mostKeyNameCharacters} characters.`)
}

/** Spec, "Roles": only Root and Admin buy. Fails with `account.roleNotAllowed`. */
export function requireBuyer({ role }: AccountRecord): void {
  if (buyers.includes(role)) return
  const message = `Only Root and Admin may buy plans, and this account is ${role}. Ask a Root or an Admin for a key.`
  throw new AppError('account.roleNotAllowed', message)
}

/** Spec, "States": the balance covers the total. Fails with `account.insufficientCredits`. */
export function requireCredits({ credits }: AccountRecord, { planType, price }: PackageRecord): void {
  if (credits >= price) return
  const message = `${planType} costs ${price} VND and the account has ${credits}. Add credits, or choose a smaller plan.`
  throw new AppError('account.insufficientCredits', message)
}

/** Spec, "Limits": keys per plan. Fails with `account.keyLimitReached`. */
export function requireRoomForKey({ name, keysUsed, maxKeys }: AccountPlanRecord): void {
  if (keysUsed < maxKeys) return
  const message = `The plan ${name} has all of its ${maxKeys} keys; disabled ones count. Delete one first.`
  throw new AppError('account.keyLimitReached', message)
}

/** Spec, "States": gateway and keys appear in full once provisioning finishes. Fails with `account.notProvisioned`. */
export function requireProvisioned({ name, provisioned }: AccountPlanRecord): void {
  if (provisioned) return
  throw new AppError('account.notProvisioned', `The plan ${name} is still being set up. Try again when it is ready.`)
}

/** The key itself. Fails with `account.notProvisioned` while the platform masks it. */
export function requireSecret({ name, secret }: SubscriptionKeyRecord): Secret {
  if (secret) return secret
  throw new AppError('account.notProvisioned', `The key ${name} is not shown in full yet. Try again later.`)
}

const invalidName = (message: string): AppError => new AppError('account.invalidName', message, { field: 'name' })
