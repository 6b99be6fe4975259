-- How notifications of payments are written, and what its owner says of a webhook.
alter table webhooks add column format text not null default 'standard', add column description text;
