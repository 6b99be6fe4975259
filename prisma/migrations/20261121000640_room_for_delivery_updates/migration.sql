-- A claim changes no indexed column of a delivery, and a result none of an attempt. With room left on the page the
-- new version of the row stays there and no index is written (a HOT update). Pages written before keep their filling;
-- an attempt grows by the stored answer, so most of its page is left to it.
alter table deliveries set (fillfactor = 50);
alter table delivery_attempts set (fillfactor = 25);
